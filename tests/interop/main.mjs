// All interop tests: each file adds its own sites.
import "./round_trip.mjs";
import "./sessions.mjs";
import "./revocations.mjs";
import "./redis.mjs";
import "./clean_up.mjs";
import "./api_keys.mjs";
import "./mail.mjs";
import "./passwords.mjs";
import "./schemas.mjs";
import "./serial.mjs";
import "./client.mjs";
import "./second_factor.mjs";
import "./front_ends.mjs";
import "./admin_client.mjs";
import "./admin_page.mjs";
import "./openapi.mjs";
import { runSites } from "./support/checks.mjs";

// Run sites concurrently, because a site often waits for a timer or a hash.
runSites(3);
await import("./manual.mjs");
