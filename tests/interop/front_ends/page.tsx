// The view of users on pages without a component library.
import { useState } from "react";

type Person = { id?: unknown; name?: string; email?: string };

export const Listing = (props: {
  people: Person[];
  total: number;
  page: number;
  pages: number;
  previous?: () => void;
  next?: () => void;
  search: (text: string) => void;
  choose: (id: string) => void;
}) => (
  <>
    <input aria-label="Search" onChange={(event) => props.search(event.target.value)} />
    <ul>
      {props.people.map((person) => (
        <li key={String(person.id)}>
          <button onClick={() => props.choose(String(person.id))}>{person.email}</button>
        </li>
      ))}
    </ul>
    <p role="status">
      {props.total} users, page {props.page} of {props.pages}
    </p>
    <button onClick={props.previous} disabled={!props.previous}>
      Previous
    </button>
    <button onClick={props.next} disabled={!props.next}>
      Next
    </button>
  </>
);

export const Editor = (props: {
  person: Person;
  save: (changes: { name: string }) => Promise<unknown>;
  remove: () => Promise<unknown>;
  close: () => void;
}) => {
  const [name, rename] = useState(props.person.name ?? "");
  const [problem, complain] = useState("");
  const close = (work: Promise<unknown>) =>
    work.then(props.close, (failure) => complain(failure.message ?? failure.error));
  return (
    <form onSubmit={(event) => (event.preventDefault(), close(props.save({ name })))}>
      <input aria-label="Name" value={name} onChange={(event) => rename(event.target.value)} />
      <button type="submit">Save</button>
      <button type="button" onClick={() => close(props.remove())}>
        Delete
      </button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
};
