/** The format of recorded sign-ins, and the list of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One request as a client sent it; strings contain the placeholders of `fill`. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query. The authorization endpoint represents the whole visit to the consent page. */
  readonly path: string;
  /** Only those that say something about the client. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Status of the gateway's response. */
  readonly status: number;
}

/** The requests with which one client signed in and, if this was tried, continued after its access token expired. */
export interface Recording {
  readonly client: string;
  /** The npm package that ran. */
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

/** Values that differ between runs. */
export interface Values {
  readonly origin: string;
  readonly client_id?: string;
  readonly code?: string;
  readonly access_token?: string;
  readonly refresh_token?: string;
}

/**
 * Replaces `{origin}`, `{encoded_origin}`, `{client_id}`, `{code}`, `{access_token}`, `{refresh_token}` with values.
 */
export function fill(text: string, values: Values): string {
  return text
    .replaceAll('{encoded_origin}', encodeURIComponent(values.origin))
    .replaceAll(/\{(origin|client_id|code|access_token|refresh_token)\}/g, (_all, name: keyof Values) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${name} is not known yet`);
      return value;
    });
}
