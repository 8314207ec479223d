// One measurement: wrk loads a server for some seconds.
import { request as httpRequest } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { run } from "./machine.mjs";

const here = dirname(fileURLToPath(import.meta.url));

/**
 * Loads the address with wrk. Returns {rate, p50, p99, requests}, in requests/s and milliseconds. Fails if a response is an error.
 * `script` creates the requests if they differ.
 */
export const drive = async (
  address,
  headers,
  { seconds, connections = 16, script = "report.lua", words = [] },
) => {
  const { status, output, error } = await run("wrk", [
    "--threads",
    "1",
    "--connections",
    String(connections),
    "--duration",
    `${seconds}s`,
    "--timeout",
    "120s",
    "--script",
    join(here, script),
    ...Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]),
    address,
    "--",
    ...words,
  ]);
  const line = output.split("\n").findLast((text) => text.startsWith("{"));
  if (status !== 0 || !line) throw new Error(`wrk failed on ${address}:\n${output}${error}`);
  const { requests, seconds: took, failed, lost, p50, p99 } = JSON.parse(line);
  if (failed + lost > 0)
    throw new Error(`${failed} responses from ${address} were errors, and ${lost} are missing`);
  // If no response arrived, measure for longer.
  if (requests === 0 && seconds < 60)
    return drive(address, headers, { seconds: seconds * 4, connections, script, words });
  if (requests === 0) throw new Error(`no response from ${address} within ${seconds} s`);
  return { rate: requests / took, p50, p99, requests };
};

/** Sends one request. Returns {status, text}. */
export const ask = (address, headers, { method = "GET", body, agent } = {}) =>
  new Promise((resolve, reject) => {
    const request = httpRequest(address, { method, headers, agent }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(parts).toString("utf8") }),
      );
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });

export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
