-- What follows runs with the rights of the user table's owner, also where a superuser logged in.

SELECT set_config('role', pg_get_userbyid(relowner), false) FROM pg_class WHERE oid = @user_text@::regclass;
