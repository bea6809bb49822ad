/** The handle with which a call continues an answer that was cut. */

import { createHash } from 'node:crypto';
import type { Tool } from '../../../contract/index.ts';
import type { StateSealer } from '../ask-user.ts';
import { stableJson } from '../stable-json.ts';
import type { Asked } from './asked.ts';
import type { Position } from './cut.ts';

/** Where an answer continues. */
export interface ResumePoint {
  readonly position: Position;
  /** Digest of the whole answer, to detect a change. */
  readonly digest: string;
}

/** How long a handle is valid. */
const RESUME_TTL_MS = 600_000;
const DIGEST_LENGTH = 16;

/** The call that a handle is bound to. */
export interface ResumedCall {
  /** Row id of the grant, or of a token without a grant. */
  readonly reader: string;
  readonly tool: Pick<Tool, 'name'>;
  readonly asked: Asked;
  /** Maximum of text bytes in a result of this reader; positions depend on it. */
  readonly limit: number;
}

/** Digest of an answer. @param json the whole answer. */
export function digestOf(json: string): string {
  return createHash('sha256').update(json, 'utf8').digest('base64url').slice(0, DIGEST_LENGTH);
}

/** Seals a position for ten minutes. @param now milliseconds since 1970. */
export function sealResume(states: StateSealer, call: ResumedCall, point: ResumePoint, now: number): string {
  const { position, digest } = point;
  return states.seal([digest, ...position], { holder: holderOf(call), expiresAt: now + RESUME_TTL_MS });
}

/** Opens the handle of a call; null: it has expired, was changed, or belongs to another call. */
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
