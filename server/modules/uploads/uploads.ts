/** Uploads: an agent or a person sends a file to a one-time address, and a later call of the same client takes it by its handle. */

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import { RequestError } from '../../base/http/errors.ts';
import { createLongSealer, type LongSealing } from '../../base/long-values.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { createSecret, hashSecret } from '../../base/principal/secrets.ts';
import { holderOf } from '../../base/sealed-cache.ts';
import type { Database } from '../../base/store/schema.ts';
import type { FilePlace } from '../../call/tools/files/file-arguments.ts';
import { HANDLE_PREFIX, type StoredFile, type UploadedFiles } from '../../call/tools/files/handles.ts';
import { isAccepted } from '../../call/upstream/serialize-files.ts';
import { contradictsType, typeByContent } from './media-type.ts';
import {
  claimUpload,
  deleteUploads,
  findUpload,
  findWaitingUpload,
  insertUpload,
  releaseUpload,
  storeUpload,
  sumUploadBytes,
  type Upload,
  type UploadKey,
} from './rows.ts';

/** Time for which an address can be used. */
export const ADDRESS_TTL_MS = 600_000;
/** Time for which a file is kept if no call uses it. */
const FILE_TTL_MS = 3_600_000;
/** Uploads of one user, waiting or stored. */
export const MAX_UPLOADS = 20;
/** Most bytes of the files of one user, unless a single file is larger. */
const MAX_USER_BYTES = 40 * 1_048_576;
const ANY_BYTES = 'application/octet-stream';

/** The file that is asked for, as its sender is told. JSON. */
export interface UploadRequest extends FilePlace {
  /** Titles of the tool and its service. */
  readonly toolTitle: string;
  readonly serviceTitle: string;
  /** The client's own name. Null if it has none, or no client asks. */
  readonly clientName: string | null;
  readonly externalUserId: string;
  /** Name, and media type without parameters, that the caller announces. Null if it announces none. */
  readonly name: string | null;
  readonly mediaType: string | null;
  /** Accepted media types and ranges. Any type is accepted if it is empty. */
  readonly mediaTypes: readonly string[];
  readonly maxBytes: number;
}

/** A new upload. */
export interface NewUpload {
  readonly handle: string;
  /** Its id, in the address of its page. */
  readonly id: string;
  /** Secret part of the address that takes the bytes. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A file as its sender sends it. */
export interface SentFile {
  readonly bytes: Buffer;
  /** Its media type, without parameters. Null if the sender names none. */
  readonly mediaType: string | null;
  /** The type that a browser takes it for, by the name of the file. Null if it takes it for none, or no browser sends it. */
  readonly guessedType: string | null;
  /** Null if the sender names none. */
  readonly name: string | null;
}

/** A file that waits for its sender. */
export interface WaitingUpload {
  readonly request: UploadRequest;
  /** Row id of the user who is asked. */
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The state of an upload for the client that asked for it. */
export type UploadState = 'waiting' | 'stored' | 'gone';

interface Options extends LongSealing {
  readonly db: Kysely<Database>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Maximum of bytes of one file. */
  readonly maxFileBytes: number;
  /** Maximum of bytes of all files. */
  readonly maxTotalBytes: number;
}

interface SealedRequest {
  readonly request: UploadRequest;
  /** Whom and which place the file will be sealed for. */
  readonly holder: string;
}

/** The uploads of all users. */
export class Uploads {
  readonly #options: Options;
  readonly #requests: ReturnType<typeof createValueSealer>;
  readonly #files: ReturnType<typeof createLongSealer>;
  /** Numbers since the node started. */
  readonly counts = { requested: 0, stored: 0 };

  constructor(options: Options) {
    this.#options = options;
    this.#requests = createValueSealer({ keys: options.keys, purpose: 'upload request' });
    this.#files = createLongSealer(options, 'uploads');
  }

  get maxFileBytes(): number {
    return this.#options.maxFileBytes;
  }

  /** Opens an address for one file. @returns null if the user has too many uploads. */
  async begin(owner: Principal, request: UploadRequest): Promise<NewUpload | null> {
    const { db, now } = this.#options;
    const handle = `${HANDLE_PREFIX}${randomBytes(16).toString('base64url')}`;
    const address = createSecret('uploadAddress');
    const id = this.#idOf(handle);
    const createdAt = now();
    const expiresAt = createdAt + ADDRESS_TTL_MS;
    const sealed: SealedRequest = { request, holder: placeHolder(owner, id, request) };
    const row = {
      id,
      address: hashSecret(db, address),
      user_id: owner.userId,
      grant_id: owner.grantId,
      request: this.#requests.seal(sealed, { holder: id, expiresAt: expiresAt + FILE_TTL_MS }),
      expires_at: expiresAt,
    };
    if (!(await insertUpload(db, row, { maxUploads: MAX_UPLOADS, now: createdAt }))) return null;
    this.counts.requested += 1;
    return { handle, id, address, expiresAt };
  }

  /** Finds an upload whose file can still be sent. */
  async find(id: string): Promise<WaitingUpload | undefined> {
    const row = await this.#findWaiting({ id });
    return row && { request: row.opened.request, userId: row.userId, expiresAt: row.expiresAt };
  }

  async #findWaiting(key: UploadKey) {
    const { db, now } = this.#options;
    const hashed = 'id' in key ? key : { address: hashSecret(db, key.address) };
    const row = await findWaitingUpload(db, hashed, now());
    const opened = row && this.#openRequest(row);
    return row && opened && { ...row, opened };
  }

  #openRequest({ id, request }: Upload): SealedRequest | undefined {
    return this.#requests.open(request, { holder: id, now: this.#options.now() }) as SealedRequest | undefined;
  }

  /**
   * Takes the file, once. If none arrives, or it is refused, another can be sent.
   *
   * @param announcedBytes what the request says; undefined if it does not. @param read reads at most so many bytes.
   * @throws {RequestError} `not_found` (404), `temporarily_unavailable` (503), `unsupported_media_type` (415), `invalid_request` (400), and those
   * of `read`.
   */
  async receive(
    key: UploadKey,
    announcedBytes: number | undefined,
    read: (maxBytes: number) => Promise<SentFile>,
  ): Promise<StoredFile & { readonly bytes: number }> {
    const { db } = this.#options;
    const row = await this.#findWaiting(key);
    if (row === undefined) throw noSuchUpload();
    const { maxBytes } = row.opened.request;
    if (!(await claimUpload(db, row, Math.min(announcedBytes ?? maxBytes, maxBytes)))) throw noSuchUpload();
    try {
      await this.#checkRoom(row.userId);
      return await this.#store(row, await read(maxBytes));
    } catch (error) {
      await releaseUpload(db, row);
      throw error;
    }
  }

  /** Refuses a file for which there is no room. The claim of this file counts already, so that concurrent ones are refused, too. */
  async #checkRoom(userId: string): Promise<void> {
    const { db, now, maxFileBytes, maxTotalBytes } = this.#options;
    const isFull = (await sumUploadBytes(db, now(), userId)) > Math.max(MAX_USER_BYTES, maxFileBytes);
    if (!isFull && (await sumUploadBytes(db, now())) <= maxTotalBytes) return;
    const whose = isFull ? 'this user' : 'all users';
    const description = `The uploaded files of ${whose} leave no room for this one. They are removed after a call has used them, or after an hour.`;
    throw new RequestError(503, 'temporarily_unavailable', description, { headers: { 'Retry-After': '60' } });
  }

  async #store(row: Upload & { readonly opened: SealedRequest }, sent: SentFile) {
    const { db, now } = this.#options;
    const { request, holder } = row.opened;
    const { bytes } = sent;
    if (bytes.length === 0) throw new RequestError(400, 'invalid_request', 'The file is empty.');
    const mediaType = checkType(request, sent);
    const file: StoredFile = { data: bytes.toString('base64'), mediaType, name: request.name ?? sent.name };
    const expiresAt = now() + FILE_TTL_MS;
    const sealed = await this.#files.seal(row.userId, file, { holder, expiresAt });
    if (!(await storeUpload(db, row, { sealed, bytes: bytes.length, expires_at: expiresAt }))) throw noSuchUpload();
    this.counts.stored += 1;
    return { ...file, bytes: bytes.length };
  }

  readonly read: UploadedFiles['read'] = async (owner, handle, place) => {
    const row = await this.#findOwn(owner, handle, place);
    if (row === undefined) return undefined;
    if (row.sealed === null) return 'awaited';
    const opening = { holder: placeHolder(owner, row.id, place), now: this.#options.now() };
    return (await this.#files.open(owner.userId, row.sealed, opening)) as StoredFile | undefined;
  };

  async stateOf(owner: Principal, handle: string, place: FilePlace): Promise<UploadState> {
    const row = await this.#findOwn(owner, handle, place);
    if (row === undefined) return 'gone';
    return row.status === 'stored' ? 'stored' : 'waiting';
  }

  async #findOwn(owner: Principal, handle: string, place: FilePlace): Promise<Upload | undefined> {
    const { db, now } = this.#options;
    const row = await findUpload(db, { id: this.#idOf(handle), userId: owner.userId, now: now() });
    return row && this.#openRequest(row)?.holder === placeHolder(owner, row.id, place) ? row : undefined;
  }

  readonly release: UploadedFiles['release'] = async ({ userId }, handles) => {
    const ids = handles.map((handle) => this.#idOf(handle));
    await deleteUploads(this.#options.db, userId, ids);
  };

  #idOf(handle: string): string {
    return hashSecret(this.#options.db, `upload ${handle}`);
  }
}

/** A file is for one user, partner, realm, client and grant, and for one argument of one tool. */
function placeHolder(owner: Principal, id: string, { tool, argument }: FilePlace): string {
  const { partnerId, realm, clientId } = owner;
  return JSON.stringify([holderOf(owner, id), partnerId, realm, clientId, tool, argument]);
}

/** Returns the media type of a file. @throws {RequestError} `unsupported_media_type` (415). */
function checkType({ mediaType: announced, mediaTypes }: UploadRequest, sent: SentFile): string {
  const { bytes, mediaType: sentType, guessedType } = sent;
  const typeOfContent = typeByContent(bytes);
  // Many types have no signature, or that of their container: an .xlsx file is a ZIP archive.
  const guess = [typeOfContent ?? null, guessedType].find((type) => type !== null && isAccepted(type, mediaTypes));
  const mediaType = announced ?? sentType ?? guess ?? typeOfContent ?? ANY_BYTES;
  if (announced !== null && sentType !== null && sentType !== announced) {
    throw wrongType(`is sent as ${sentType}, but ${announced} was announced`);
  }
  if (mediaTypes.length > 0 && !isAccepted(mediaType, mediaTypes)) {
    throw wrongType(`is ${mediaType}, and must be of ${mediaTypes.join(', ')}`);
  }
  if (!contradictsType(bytes, mediaType)) return mediaType;
  throw wrongType(`is not ${mediaType}, to judge by its content${typeOfContent ? `, which is ${typeOfContent}` : ''}`);
}

function wrongType(problem: string): RequestError {
  return new RequestError(415, 'unsupported_media_type', `The file ${problem}.`);
}

function noSuchUpload(): RequestError {
  const description = 'No file is awaited here: the address is wrong, was used, or is older than 10 minutes.';
  return new RequestError(404, 'not_found', description);
}
