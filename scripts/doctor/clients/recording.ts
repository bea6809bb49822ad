/** The shape of recorded sign-ins, and their list. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One request as a client sent it; texts have the placeholders of `fill`. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query. The authorization endpoint stands for the whole visit to the consent page. */
  readonly path: string;
  /** Those that say something about the client. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What the gateway answered. */
  readonly status: number;
}

/** The requests with which one client signed in, and went on after its access token expired where it was tried. */
export interface Recording {
  readonly client: string;
  /** npm package that ran. */
  readonly package: string;
  readonly version: string;
  /** Day, as YYYY-MM-DD. */
  readonly recorded: string;
  readonly requests: readonly RecordedRequest[];
}

const FOLDER = join(import.meta.dirname, 'recordings');

export const RECORDINGS: readonly Recording[] = readdirSync(FOLDER)
  .sort()
  .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recording);

/** What differs from run to run. */
export interface Values {
  readonly origin: string;
  readonly client_id?: string;
  readonly code?: string;
  readonly access_token?: string;
  readonly refresh_token?: string;
}

/** Puts values in the places of `{origin}`, `{encoded_origin}`, `{client_id}`, `{code}`, `{access_token}`, `{refresh_token}`. */
export function fill(text: string, values: Values): string {
  return text
    .replaceAll('{encoded_origin}', encodeURIComponent(values.origin))
    .replaceAll(/\{(origin|client_id|code|access_token|refresh_token)\}/g, (_all, name: keyof Values) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${name} is not known yet`);
      return value;
    });
}
