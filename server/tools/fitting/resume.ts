/** The handle with which a call continues where the answer before was cut. */

import { createHash } from 'node:crypto';
import type { Tool } from '../../contract/index.ts';
import type { StateSealer } from '../ask-user.ts';
import { stableJson } from '../stable-json.ts';
import type { Asked } from './asked.ts';
import type { Position } from './cut.ts';

/** Where an answer continues. */
export interface ResumePoint {
  readonly position: Position;
  /** Digest of the whole answer, to find out that it has changed. */
  readonly digest: string;
}

/** How long a handle can be used. */
const RESUME_TTL_MS = 600_000;
const DIGEST_LENGTH = 16;

/** What a handle is for: it opens for no other call. */
export interface ResumedCall {
  /** Row id of the grant, or of the token where it came from none. */
  readonly reader: string;
  readonly tool: Pick<Tool, 'name'>;
  readonly asked: Asked;
  /** Bytes of text that a result of this reader may have: positions depend on it. */
  readonly limit: number;
}

/** Digest of an answer. @param json the whole of it. */
export function digestOf(json: string): string {
  return createHash('sha256').update(json, 'utf8').digest('base64url').slice(0, DIGEST_LENGTH);
}

/** Seals a place, for ten minutes. @param now milliseconds since 1970. */
export function sealResume(states: StateSealer, call: ResumedCall, point: ResumePoint, now: number): string {
  const { position, digest } = point;
  return states.seal([digest, ...position], { holder: holderOf(call), expiresAt: now + RESUME_TTL_MS });
}

/** Opens the handle of a call; null: it is too old, was changed, or belongs to another call. */
export function openResume(states: StateSealer, call: ResumedCall, now: number): ResumePoint | null {
  const opened = states.open(call.asked.resume ?? '', { holder: holderOf(call), now });
  if (!Array.isArray(opened)) return null;
  const [digest, ...position] = opened as [string, ...number[]];
  return { digest, position };
}

function holderOf({ reader, tool, asked, limit }: ResumedCall): string {
  const digest = createHash('sha256').update(stableJson(asked.repeated), 'utf8').digest('base64url');
  return JSON.stringify(['resume', reader, tool.name, digest, limit]);
}
