-- From here on with the rights of the user table's owner, whose functions these are.

SELECT set_config('role', pg_get_userbyid(relowner), false) FROM pg_class WHERE oid = @user_text@::regclass;
