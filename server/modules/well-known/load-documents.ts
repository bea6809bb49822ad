/** Loads the files that `WELL_KNOWN_FOLDER` names, once at the start. */

import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { type PublicText, toPublicText } from '../../base/pages/etag.ts';
import { parseJson } from '../../call/tools/json.ts';

/** Documents below `/.well-known/`, by the last segment of their path. */
export type WellKnownDocuments = ReadonlyMap<string, PublicText>;

const MAX_DOCUMENTS = 50;
const MAX_BYTES = 65_536;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Names that the gateway answers itself, or that would change how clients sign users in, and why they are refused. */
const RESERVED: readonly { readonly names: RegExp; readonly reason: string }[] = [
  { names: /^(?:oauth|openid)-/i, reason: 'how clients sign users in is for the gateway alone to say' },
  { names: /^ai-catalog\.json$/i, reason: 'set SERVER_CARD_NAME instead' },
];

/**
 * Loads every file of a folder, except hidden ones.
 *
 * A link is followed within the folder, as Kubernetes mounts a ConfigMap. JSON is for files that end in `.json`; all others are plain
 * text, without the final line break that editors add.
 *
 * @throws the problem, to follow the name of the setting, if one of the files cannot be served.
 */
export function loadDocuments(folder: string): WellKnownDocuments {
  const root = attempt('names a folder that cannot be read', () => realpathSync(folder));
  const entries = attempt('names a folder that cannot be read', () => readdirSync(root));
  const names = entries.filter((name) => !name.startsWith('.')).sort();
  if (names.length > MAX_DOCUMENTS) throw new Error(`names a folder of more than ${MAX_DOCUMENTS} files`);
  return new Map(names.map((name) => [name, loadDocument(root, name)]));
}

function loadDocument(root: string, name: string): PublicText {
  const quotedName = JSON.stringify(name);
  if (!NAME.test(name)) {
    throw new Error(`holds ${quotedName}: a name is at most 100 letters, digits, dots, underscores and hyphens`);
  }
  const reserved = RESERVED.find(({ names }) => names.test(name));
  if (reserved !== undefined) throw new Error(`holds ${quotedName}: ${reserved.reason}`);
  const bytes = attempt(`holds ${quotedName}, which cannot be read`, () => readInside(root, name));
  const text = decodeText(bytes);
  if (text === undefined) throw new Error(`holds ${quotedName}, which is no UTF-8 text`);
  if (!name.endsWith('.json')) return toPublicText(text.replace(/\r?\n$/, ''), 'text/plain; charset=utf-8');
  if (parseJson(text) === undefined) throw new Error(`holds ${quotedName}, which is not valid JSON`);
  return toPublicText(text, 'application/json; charset=utf-8');
}

/** Reads a file of the folder. @throws {Error} for a link that leads out of it, another kind of entry, and a file that is too large. */
function readInside(root: string, name: string): Buffer {
  const file = realpathSync(path.join(root, name));
  if (!file.startsWith(root + path.sep)) throw new Error('it is a link that leads out of the folder');
  const stats = statSync(file);
  if (!stats.isFile()) throw new Error('it is not a file');
  if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
  return readFileSync(file);
}

/** Adds the reason in parentheses: the code of the system, or the message. */
function attempt<Value>(problem: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`${problem} (${code ?? message})`);
  }
}

function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
