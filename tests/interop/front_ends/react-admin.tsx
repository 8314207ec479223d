// react-admin over the recipe's data provider: a list with its filters and pages, and a form.
import { createRoot } from "react-dom/client";
import {
  Admin,
  Datagrid,
  DeleteButton,
  Edit,
  List,
  Pagination,
  Resource,
  SaveButton,
  SelectInput,
  SimpleForm,
  TextField,
  TextInput,
  Toolbar,
} from "react-admin";

import { users } from "../../../conf/recipes/react-admin";

const roles = ["user", "admin", "superAdmin"].map((id) => ({ id, name: id }));
const filters = [
  <TextInput source="search" key="search" alwaysOn />,
  <SelectInput source="role" key="role" choices={roles} alwaysOn />,
];

const UserList = () => (
  <List
    filters={filters}
    perPage={5}
    pagination={<Pagination rowsPerPageOptions={[5, 10]} />}
    sort={{ field: "name", order: "ASC" }}
  >
    <Datagrid rowClick="edit">
      <TextField source="name" />
      <TextField source="email" />
    </Datagrid>
  </List>
);

const UserEdit = () => (
  <Edit mutationMode="pessimistic">
    <SimpleForm
      toolbar={
        <Toolbar>
          <SaveButton />
          <DeleteButton mutationMode="pessimistic" />
        </Toolbar>
      }
    >
      <TextInput source="name" />
      <TextInput source="email" />
    </SimpleForm>
  </Edit>
);

const dataProvider = users("/api");
// For the tests.
Object.assign(window, { dataProvider });

createRoot(document.getElementById("root")!).render(
  <Admin dataProvider={dataProvider} disableTelemetry>
    <Resource name="users" list={UserList} edit={UserEdit} />
  </Admin>,
);
