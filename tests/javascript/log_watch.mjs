// Watches an error log: an unexpected line, or one with a secret, fails the test.
import { readFileSync } from "node:fs";

const unexpectedLevels = new Set(["warn", "error", "crit", "alert", "emerg"]);

const isUnexpected = (line) => {
  if (line.includes("exit signal")) return true;
  // httpd may log these when it is stopped under load: a connection could not be kept alive, or a child took several
  // seconds to end.
  if (/AH03093|AH00045/.test(line)) return false;
  // The secret is in the configuration of the tests' httpd.
  if (/UA0311|UA0313/.test(line)) return false;
  // Clients cause these with invalid credentials.
  if (/UA0223|UA0224|UA0310|UA0318|UA0319/.test(line)) return false;
  // [time] [module:level] [pid ...] message
  const level = /^\[[^\]]*\] \[[^:\]]*:([a-z0-9]+)\]/.exec(line)?.[1];
  return level === undefined || unexpectedLevels.has(level);
};

export class LogWatch {
  #file;
  #read = 0;
  #expected = [];
  #allowed = [];
  #secrets = new Set();

  constructor(file) {
    this.#file = file;
  }

  /** Expects a line of level warn or worse that contains this text before the test ends. */
  expect(part) {
    this.#expected.push(part);
  }

  /** Allows lines that contain this text. */
  allow(part) {
    this.#allowed.push(part);
  }

  /** Fails the test if a line contains this text, raw or percent-encoded. */
  addSecret(text) {
    if (!text || text.length < 8) return;
    this.#secrets.add(text);
    this.#secrets.add(encodeURIComponent(text));
  }

  get lines() {
    const text = readFileSync(this.#file, "utf8");
    return text
      .slice(0, text.lastIndexOf("\n") + 1)
      .split("\n")
      .slice(0, -1);
  }

  /** Throws if the lines since the last call are not the expected ones. */
  async finishTest(eventually) {
    const expected = this.#expected;
    const known = [...expected, ...this.#allowed];
    this.#expected = [];
    this.#allowed = [];
    const newLines = () => this.lines.slice(this.#read);
    const problems = [];
    for (const part of expected)
      if (!(await eventually(() => newLines().some((line) => line.includes(part)))))
        problems.push(`no line of the error log contains: ${part}`);
    const lines = newLines();
    this.#read += lines.length;
    for (const line of lines) {
      if (line.includes("$argon2") || [...this.#secrets].some((secret) => line.includes(secret)))
        problems.push(`a secret is in the error log: ${line}`);
      else if (isUnexpected(line) && !known.some((part) => line.includes(part)))
        problems.push(`unexpected line in the error log: ${line}`);
    }
    if (problems.length > 0) throw new Error(problems.join("\n"));
  }
}
