-- The following statements run as the owner of the user table, even if a superuser is logged in.

SELECT set_config('role', pg_get_userbyid(relowner), false) FROM pg_class WHERE oid = @user_text@::regclass;
