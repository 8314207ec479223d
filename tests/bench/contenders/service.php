<?php
// The service in PHP: PDO on a persistent connection, one round trip a statement. Who is calling comes from headers.

declare(strict_types=1);

const COLUMNS = '"id", "name", "email", "role", "emailVerified", "image", "createdAt", "updatedAt", "banned",'
    . ' "banReason", "banExpires"';

function answer(int $status, array $body): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($body, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
    exit;
}

function refuse(int $status, string $error): never
{
    answer($status, ['success' => false, 'error' => $error]);
}

/** The time as the interface writes it; the database's session is in UTC. */
function timestamp(?string $text): ?string
{
    return $text === null ? null : (new DateTimeImmutable($text))->format('Y-m-d\TH:i:s.v\Z');
}

function user(array $row): array
{
    $row['role'] ??= 'user';
    $row['banned'] ??= false;
    foreach (['createdAt', 'updatedAt', 'banExpires'] as $field) {
        $row[$field] = timestamp($row[$field]);
    }
    return $row;
}

function select(string $sql, array $values): PDOStatement
{
    static $database = null;
    $database ??= new PDO(getenv('BENCH_PDO'), 'useradmin', '', [
        PDO::ATTR_PERSISTENT => true,
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC,
        // Values go beside the statement, and statement and values in one round trip.
        PDO::PGSQL_ATTR_DISABLE_PREPARES => true,
    ]);
    $statement = $database->prepare($sql);
    $statement->execute($values);
    return $statement;
}

/** A whole number above zero, or else the default. */
function wholeNumber(?string $text, int $otherwise): int
{
    return preg_match('/^[1-9][0-9]{0,8}$/', $text ?? '') ? (int) $text : $otherwise;
}

function listUsers(string $caller): never
{
    $page = wholeNumber($_GET['page'] ?? null, 1);
    $limit = min(wholeNumber($_GET['limit'] ?? null, 20), 1000);
    $role = $caller === 'admin' ? 'user' : ($_GET['role'] ?? '');
    $search = $_GET['search'] ?? '';
    $conditions = [];
    $values = [];
    if ($role !== '') {
        $conditions[] = "COALESCE(\"role\", 'user') = ?";
        $values[] = $role;
    }
    if ($search !== '') {
        $conditions[] = '"name" ILIKE ? OR "email" ILIKE ?';
        $pattern = '%' . addcslashes($search, '\\%_') . '%';
        array_push($values, $pattern, $pattern);
    }
    $where = $conditions === [] ? '' : 'WHERE ' . implode(' OR ', $conditions);
    $total = select("SELECT count(*) FROM \"user\" $where", $values)->fetchColumn();
    $rows = select(
        'SELECT ' . COLUMNS . " FROM \"user\" $where ORDER BY \"createdAt\" DESC, \"id\" LIMIT ? OFFSET ?",
        [...$values, $limit, ($page - 1) * $limit]
    )->fetchAll();
    answer(200, [
        'success' => true,
        'data' => array_map(user(...), $rows),
        'pagination' => [
            'page' => $page,
            'limit' => $limit,
            'total' => $total,
            'totalPages' => intdiv($total + $limit - 1, $limit),
        ],
    ]);
}

function readUser(string $id): never
{
    $row = select('SELECT ' . COLUMNS . ' FROM "user" WHERE "id" = ?', [$id])->fetch();
    $row === false ? refuse(404, 'Usuario no encontrado') : answer(200, ['success' => true, 'data' => user($row)]);
}

$id = rawurldecode(substr(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH), strlen('/api/users/')));
try {
    $callerId = $_SERVER['HTTP_X_USER_ID'] ?? '';
    $caller = $_SERVER['HTTP_X_USER_ROLE'] ?? 'user';
    $isAdministrator = $caller === 'admin' || $caller === 'superAdmin';
    if ($callerId === '') {
        refuse(401, 'No autorizado');
    }
    if ($id === '') {
        $isAdministrator ? listUsers($caller) : refuse(403, 'No tienes permisos para ver usuarios');
    }
    $isAdministrator || $callerId === $id ? readUser($id) : refuse(403, 'No tienes permisos');
} catch (Exception $failure) {
    error_log((string) $failure);
    refuse(500, $id === '' ? 'Error al obtener usuarios' : 'Error al obtener usuario');
}
