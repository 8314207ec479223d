// 10,000 cookies and bearer values that are nearly right: none is a session, none ends a child, none is logged.
import assert from "node:assert/strict";
import { connect } from "node:net";

import { newest } from "./support/applications.mjs";
import { describeSite } from "./support/checks.mjs";
import { asMigrated } from "./support/styles.mjs";

const count = 10_000;
const cookieName = "better-auth.session_token";
// httpd's LimitRequestFieldSize is 8190 bytes, the header's name among them.
const longest = 8000;

/** Numbers below a bound; the same ones in each run (mulberry32). */
const numbers = (seed) => (bound) => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
};

// Each takes a value, in which a character is a byte, and gives one that is not the same.
const mutators = (number) => {
  const at = (text) => number(text.length);
  const put = (text, index, part, length = 0) => text.slice(0, index) + part + text.slice(index + length);
  const byte = () => String.fromCharCode(number(2) ? 0x80 + number(0x80) : 0x21 + number(0x5e));
  const dot = (text) => Math.max(text.search(/\.|%2e/i), 0);
  return {
    "a bit is flipped": (text) => {
      const index = at(text);
      return put(text, index, String.fromCharCode(text.charCodeAt(index) ^ (1 << number(7))), 1);
    },
    "it is cut": (text) => text.slice(0, at(text)),
    "its front is cut": (text) => text.slice(1 + at(text)),
    "a dot is doubled": (text) => put(text, dot(text), "."),
    "a dot more": (text) => put(text, at(text), "."),
    "a percent sign": (text) => put(text, at(text), "%"),
    "half an escape": (text) =>
      put(text, at(text), ["%2", "%", "%G0", "%0", "%u002E", "%%2E", "%-1"][number(7)]),
    "an escape of nothing": (text) => put(text, at(text), "%00"),
    "an escape that is no UTF-8": (text) =>
      put(text, at(text), ["%FF", "%C0%80", "%ED%A0%80", "%F5%80%80%80", "%80"][number(5)]),
    "it is encoded twice": (text) =>
      encodeURIComponent(encodeURIComponent(text)) + (text.includes("%") ? "" : "%25"),
    "bytes that are no UTF-8": (text) => put(text, at(text), byte() + String.fromCharCode(0xff), number(3)),
    "a quote": (text) =>
      put(
        text,
        at(text),
        ['"', "'", "\\", "`", '\\"', "''", "';--", "$1", "%27%20OR%20%271%27=%271"][number(9)],
      ),
    "in quotes of another kind": (text) => ["'", "`", '\\"', "“"][number(3)] + text + "'",
    "a character goes": (text) => put(text, at(text), "", 1),
    "two change places": (text) => {
      const index = number(text.length - 1);
      return put(text, index, text[index + 1] + text[index], 2);
    },
    "upper and lower case": (text) =>
      text.replace(/[a-z]+/i, (part) =>
        part === part.toLowerCase() ? part.toUpperCase() : part.toLowerCase(),
      ),
    twice: (text) => text + text,
    "it is long": (text) => text.repeat(40).slice(0, 100 + number(longest - 100)),
    "a long tail": (text) => text + "=".repeat(1 + number(longest - text.length - 1)),
    "a long head": (text) => "A".repeat(1 + number(longest - text.length - 1)) + text,
    nothing: () => "",
    "something else": () =>
      ["null", "undefined", "true", "0", "{}", ".", "=", "..", "%", "*", "\x80".repeat(500), "deleted"][
        number(12)
      ],
    "another signature": (text) =>
      text.slice(0, dot(text) + 1) +
      Array.from({ length: 43 }, () => "ABCDabcd0123+/"[number(14)]).join("") +
      "=",
    "a space within": (text) => put(text, 1 + number(text.length - 2), " "),
    "a tabulator within": (text) => put(text, 1 + number(text.length - 2), "\t"),
  };
};

/** The value as a server reads it; undefined where it cannot. */
const read = (text) => {
  try {
    return decodeURIComponent(text.trim().replace(/^"(.*)"$/, "$1"));
  } catch {
    return undefined;
  }
};

/** Requests one after the other over one connection, which the server is to keep. */
class Connection {
  static async open(port) {
    const connection = new Connection();
    connection.socket = connect(port, "127.0.0.1");
    connection.socket.setEncoding("latin1");
    await new Promise((resolve, reject) => connection.socket.once("connect", resolve).once("error", reject));
    return connection;
  }

  /** The status of the reply, its body, and whether the server keeps the connection; undefined without a reply. */
  ask(header) {
    return new Promise((resolve) => {
      let text = "";
      const end = (reply) => {
        this.socket.removeAllListeners();
        this.socket.on("error", () => {});
        resolve(reply);
      };
      this.socket.on("data", (part) => {
        text += part;
        const start = text.indexOf("\r\n\r\n") + 4;
        if (start < 4) return;
        const head = text.slice(0, start);
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
        if (text.length < start + length) return;
        const body = Buffer.from(text.slice(start, start + length), "latin1").toString();
        end({ status: Number(head.slice(9, 12)), body, kept: !/^connection: close/im.test(head) });
      });
      this.socket.on("error", () => end());
      this.socket.on("close", () => end());
      this.socket.write(`GET /api/users HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`, "latin1");
    });
  }

  close() {
    this.socket.destroy();
  }
}

const tests = (check) => {
  check(
    `${count} mutated cookies and bearer values: no session, no crash, no token in the log`,
    async (site) => {
      const { session } = await site.signedIn({
        name: "Ada",
        email: "ada@example.org",
        password: "contraseña de Ada",
        role: "admin",
      });
      const valid = decodeURIComponent(session.bearer);
      const number = numbers(20261121);
      const all = Object.entries(mutators(number));
      const seeds = [valid, encodeURIComponent(valid)];

      const mutant = () => {
        for (;;) {
          const [name, mutate] = all[number(all.length)];
          let value = mutate(seeds[number(2)]);
          if (number(4) === 0 && value.length > 2) value = all[number(all.length)][1](value);
          value = value.slice(0, longest);
          // What means the same is no mutant; what httpd itself refuses is none of the module's.
          if (read(value) !== valid && !value.includes(valid) && !/[\0-\x08\x0a-\x1f\x7f]/.test(value))
            return { name, value };
        }
      };
      const request = () => {
        const { name, value } = mutant();
        switch (number(5)) {
          case 0:
          case 1:
            return { name, header: `Authorization: Bearer ${value}` };
          case 2: {
            const values = Array.from({ length: 2 + number(30) }, () =>
              mutant().value.replaceAll(/[;,]/g, "").slice(0, 200),
            );
            return {
              name: "many cookies of one name",
              header: `Cookie: ${values.map((one) => `${cookieName}=${one}`).join("; ")}`,
            };
          }
          case 3:
            return {
              name,
              header: `Cookie: ${["__Secure-", "__Host-", "", "a=b; "][number(4)]}${cookieName}=${value}`,
            };
          default:
            return { name, header: `Cookie: ${cookieName}=${value}` };
        }
      };
      // A cookie's value ends at a semicolon: what is left of it may be right.
      const isRight = ({ header }) =>
        header.startsWith("Cookie") &&
        header
          .slice(8)
          .split(";")
          .some((pair) => read(pair.slice(pair.indexOf("=") + 1)) === valid);
      const requests = [];
      while (requests.length < count) {
        const one = request();
        if (!isRight(one)) requests.push(one);
      }

      const right = { cookie: `${cookieName}=${encodeURIComponent(valid)}` };
      assert.equal((await site.here("GET", "/api/users", { as: null, headers: right })).status, 200);
      const before = await site.httpd.children();
      const refusal = { status: 401, body: '{"success":false,"error":"No autorizado"}' };
      let next = 0;
      const work = async () => {
        let connection = await Connection.open(site.httpd.port);
        const ask = async (header) => {
          // A server may close a connection that it kept, just when the next request is on its way.
          let reply = await connection.ask(header);
          if (!reply) {
            connection = await Connection.open(site.httpd.port);
            reply = await connection.ask(header);
          }
          assert.ok(reply, `no reply to ${JSON.stringify(header)}`);
          return reply;
        };
        while (next < requests.length) {
          const { name, header } = requests[next++];
          const { status, body, kept } = await ask(header);
          assert.deepEqual({ name, header, status, body }, { name, header, ...refusal });
          if (!kept) {
            connection.close();
            connection = await Connection.open(site.httpd.port);
          }
        }
        connection.close();
      };
      await Promise.all(Array.from({ length: 8 }, work));
      // A child that crashed has another in its place, and a line in the error log.
      assert.deepEqual(await site.httpd.children(), before);

      // Any sixteen characters of the token or of its signature would be too many.
      const [token, signature] = valid.split(".");
      const pieces = [token, signature].flatMap((part) =>
        Array.from({ length: part.length - 15 }, (_, index) => part.slice(index, index + 16)),
      );
      for (const line of site.log.lines)
        assert.equal(
          pieces.some((piece) => line.includes(piece)),
          false,
          line,
        );
      assert.equal((await site.here("GET", "/api/users", { as: session })).status, 200);
    },
  );
};

describeSite("mutated sessions", newest, { ...asMigrated, hash: undefined }, tests);
