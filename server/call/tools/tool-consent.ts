/** Tools whose risk has increased: the URL where a user allows one, what is kept of that, and what was allowed before. */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import { mayWrite, readPermission, SCOPES, toScopes, writePermission } from '../../base/principal/permission.ts';
import { setScopesOfTokens } from '../../base/store/repositories/access-tokens.ts';
import { findLiveGrant, replaceGrantAccess } from '../../base/store/repositories/oauth-grants.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { ToolFacts } from './catalogue/facts.ts';

/** Path of the page that asks for a connection code. */
export const ALLOW_PATH = '/api/mcp/oauth/allow';

const SCHEMA = z.object({ grantId: z.string(), tool: z.string(), facts: z.string() });

/** The grant and the tool to allow, with the facts that the user sees. */
export type ToolConsentRequest = Readonly<z.output<typeof SCHEMA>>;

/** Creates and opens the URLs. */
export interface ToolConsentLinks {
  /**
   * Returns the URL for the user.
   *
   * @param now milliseconds since 1970.
   */
  urlOf(request: ToolConsentRequest, now: number): string;
  /** Opens the query's `request`. @returns null if it was not sealed by us or has expired. */
  open(sealed: string, now: number): ToolConsentRequest | null;
}

const TTL_MS = 1_800_000;

/** Anyone may open the URL: the page asks for a connection code of the grant's user. */
const HOLDER = 'anybody';

/**
 * @param options.publicUrl the gateway's origin.
 * @param options.path of the page. Default: the page that asks for a connection code.
 */
export function createToolConsentLinks(options: {
  keys: readonly EncryptionKey[];
  publicUrl: string;
  path?: string | undefined;
}): ToolConsentLinks {
  const { publicUrl, path = ALLOW_PATH } = options;
  const sealer = createValueSealer({ keys: options.keys, purpose: 'tool approval' });
  return {
    urlOf(request, now) {
      const sealed = sealer.seal(request, { holder: HOLDER, expiresAt: now + TTL_MS });
      return `${publicUrl}${path}?request=${sealed}`;
    },
    open(sealed, now) {
      const opened = SCHEMA.safeParse(sealer.open(sealed, { holder: HOLDER, now }));
      return opened.success ? opened.data : null;
    },
  };
}

/** A tool, and the facts that were shown before it was allowed. */
interface AcceptedTool {
  readonly tool: string;
  readonly facts: string;
  /** Tools that the user also agreed to: every tool of a service that has the same effect. Default: only this tool. */
  readonly every?: { readonly service: string; readonly effect: 'writes' | 'destroys' } | undefined;
}

/** More than the number of callers that ever change one grant concurrently. */
const MAX_TRIES = 10;

/**
 * Writes the facts into the grant's permission, and keeps concurrent changes. A grant that only reads, and whose user agrees to tools one
 * by one, may then write: only with this tool.
 *
 * @returns false if the grant was revoked or removed.
 */
export async function acceptTool(
  executor: Executor,
  grantId: string,
  { tool, facts, every }: AcceptedTool,
): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const grant = await findLiveGrant(executor, grantId);
    if (grant === undefined) return false;
    const permission = readPermission(grant.permission);
    const accepted = { ...permission.accepted, [tool]: facts };
    const addsWriting = permission.agreed !== null && !facts.startsWith('reads ') && !mayWrite(toScopes(grant.scopes));
    const scopes = addsWriting ? SCOPES : grant.scopes;
    const { agreed: previouslyAgreed } = permission;
    const agreed =
      every === undefined || previouslyAgreed === null
        ? previouslyAgreed
        : {
            ...previouslyAgreed,
            [every.effect]: [...new Set([...previouslyAgreed[every.effect], every.service])].sort(),
          };
    const updatedGrant = { ...grant, scopes, permission: writePermission({ ...permission, accepted, agreed }) };
    if (!(await replaceGrantAccess(executor, grantId, { from: grant, to: updatedGrant }))) continue;
    if (addsWriting) await setScopesOfTokens(executor, grantId, scopes);
    return true;
  }
  throw new Error('the permission of a grant changes all the time');
}

/** Finds a set of facts by hash. A set that is not stored counts as empty, so writing tools must be allowed again. */
export type FindSeenFacts = (hash: string) => ToolFacts | Promise<ToolFacts>;

/** Number of sets that are kept. They are enough: grants live for months, and each release of the tools adds one set. */
const MAX_KEPT = 100;

/** @param readFactsJson the JSON of a set. */
export function createSeenFacts(readFactsJson: (hash: string) => Promise<string | undefined>): FindSeenFacts {
  const factsByHash = new LRUCache<string, ToolFacts>({ max: MAX_KEPT });
  return (hash) => {
    const facts = factsByHash.get(hash);
    if (facts !== undefined) return facts;
    return readFactsJson(hash).then((text) => {
      const facts = text === undefined ? {} : (JSON.parse(text) as ToolFacts);
      if (text !== undefined) factsByHash.set(hash, facts);
      return facts;
    });
  };
}
