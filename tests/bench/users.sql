-- Inserts $1 users into the "user" table, always the same ones.
--
-- n counts from 1 (the oldest user) to $1. User 1 is a superAdmin, and user 2 is an admin. User 777
-- is the same in every database, so its record is known. Twelve evenly distributed users have a
-- rare name, and every seventh user has an address at correo.example.
WITH language AS (
    SELECT row_number() OVER () - 1 AS number, *
    FROM (VALUES
        ('{José,María,Lucía,Iñaki,Begoña,Álvaro,Ramón,Sofía}'::text[], '{García,Núñez,Muñoz,Peña,Ibáñez,Gómez,Ortiz,Vázquez}'::text[], ' '),
        ('{Jürgen,Käthe,Günther,Änne,Sören,Heike,Björn,Ursula}', '{Müller,Schröder,Weiß,König,Jäger,Großmann,Krüger,Vogel}', ' '),
        ('{François,Zoé,Gaëlle,Benoît,Éloïse,Jérôme,Chloé,Hélène}', '{Lefèvre,Béranger,Noël,Gauthier,Châtelain,Dubois,Prévost,Fabre}', ' '),
        ('{Łucja,Paweł,Michał,Zofia,Wojciech,Małgorzata,Grażyna,Jan}', '{Kowalski,Wójcik,Żółkiewski,Nowak,Dąbrowski,Szymański,Kamiński,Ząbek}', ' '),
        ('{Ayşe,İbrahim,Gökçe,Çağla,Oğuz,Şule,Ümit,Barış}', '{Yılmaz,Öztürk,Şahin,Çelik,Doğan,Kılıç,Güneş,Aydın}', ' '),
        ('{Nguyễn,Trần,Lê,Phạm,Hoàng,Đặng,Bùi,Võ}', '{Thị Hương,Văn Đức,Quốc Bảo,Minh Châu,Thanh Hà,Ngọc Ánh,Hải Yến,Tuấn Kiệt}', ' '),
        ('{Ελένη,Γιώργος,Μαρία,Δημήτρης,Κωνσταντίνος,Ιωάννα,Αθηνά,Νίκος}', '{Παπαδόπουλος,Οικονόμου,Γεωργίου,Αντωνίου,Βασιλείου,Καραγιάννης,Μακρής,Σταύρου}', ' '),
        ('{Ольга,Дмитрий,Алёна,Сергей,Екатерина,Фёдор,Наталья,Юрий}', '{Иванов,Смирнов,Кузнецов,Соловьёв,Попов,Щербаков,Орлов,Зайцев}', ' '),
        ('{محمد,فاطمة,أحمد,عائشة,يوسف,مريم,خالد,ليلى}', '{الحسن,العلي,حداد,منصور,الشامي,قاسم,نجار,صالح}', ' '),
        ('{दीपक,अनीता,राहुल,प्रिया,संजय,कविता,अर्जुन,मीरा}', '{शर्मा,वर्मा,गुप्ता,सिंह,पटेल,जोशी,मिश्रा,नायर}', ' '),
        ('{伟,芳,娜,秀英,敏,静,丽,强}', '{王,李,张,刘,陈,杨,赵,黄}', ''),
        ('{太郎,花子,健一,美咲,翔太,さくら,大輔,陽子}', '{佐藤,鈴木,高橋,田中,渡辺,伊藤,山本,中村}', ''),
        ('{민준,서연,지훈,하은,도윤,수빈,예준,지우}', '{김,이,박,최,정,강,조,윤}', ''),
        ('{Emma,Liam,Olivia,Noah,Siân,Aoife,Seán,Ruby}', '{Smith,Jones,O''Brien,Ó Súilleabháin,Brown,Taylor,Wilson,Evans}', ' ')
    ) AS languages (given, family, space)
), numbered AS (
    -- Multiplying by primes spreads the values derived from n deterministically.
    SELECT n, (n * 7919) % 1000003 AS spread, md5('user ' || n)::uuid AS id,
        timestamptz '2023-01-01 UTC' + (n - 1) * (interval '1095 days' / $1::bigint) AS evenly
    FROM generate_series(1, $1::bigint) n
)
INSERT INTO "user" ("id", "name", "email", "emailVerified", "image", "createdAt", "updatedAt", "role", "banned",
    "banReason", "banExpires")
SELECT
    id::text,
    CASE
        WHEN n = 777 THEN 'Łucja "Lu" Müller-Nuñez'
        WHEN n % ($1 / 12) = 5 AND n <= $1 / 12 * 12 THEN 'Zoraida Ibáñez-Quiroga'
        WHEN space = '' THEN family[1 + spread / 8 % 8] || given[1 + spread % 8]
        ELSE given[1 + spread % 8] || ' ' || family[1 + spread / 8 % 8]
    END,
    -- Derived from the id rather than n, so that addresses are not in the order of the rows.
    'u' || left(replace(id::text, '-', ''), 12) || '@'
        || CASE n % 7 WHEN 0 THEN 'correo.example' WHEN 1 THEN 'mail.example' ELSE 'example.' || (n % 5) END,
    n % 10 <> 3,
    CASE n % 4 WHEN 1 THEN 'https://images.example/' || n || '.png' END,
    CASE
        WHEN n = 777 THEN timestamptz '2024-03-14 15:09:26.535Z'
        -- Imports create many users at the same moment.
        WHEN n % 50 < 5 THEN date_trunc('hour', evenly)
        ELSE date_trunc('milliseconds', evenly + (spread % 600000) * interval '1 millisecond')
    END,
    CASE
        WHEN n = 777 THEN timestamptz '2025-06-28 03:18:53.071Z'
        ELSE date_trunc('milliseconds', evenly + spread * interval '1 second')
    END,
    CASE
        WHEN n % 500 = 1 THEN 'superAdmin'
        WHEN n % 50 = 2 THEN 'admin'
        -- Created before the application had roles.
        WHEN n % 100 = 9 THEN NULL
        ELSE 'user'
    END,
    n % 200 = 11,
    CASE WHEN n % 200 = 11 THEN 'spam' END,
    CASE WHEN n % 400 = 11 THEN timestamptz '2100-01-01 UTC' END
FROM numbered JOIN language ON language.number = spread / 64 % 14
