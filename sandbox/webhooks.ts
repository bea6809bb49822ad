/** Calls of a service when its world changes, as `webhooks` of `world.yaml` says: signed, in order, to every address that was registered. */

import { createHmac, randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from './json.ts';

/** `webhooks` of `world.yaml`. */
export interface WebhookRules {
  /** The header with HMAC-SHA256 of the body, in hexadecimal digits. */
  readonly signature: string;
  /** The member of the body with the id of the event. */
  readonly id: string;
  /** The member of the body that tells of the record. */
  readonly payload: string;
  /** By operationId of a write: the webhook of the descriptor whose example is sent. */
  readonly calls: Readonly<Record<string, string>>;
  /** By member of the payload: the member of the record. Others stay as in the example. */
  readonly members: Readonly<Record<string, string>>;
}

/** The address that a service calls, and the secret with which it signs. */
interface WebhookAddress {
  readonly url: string;
  readonly secret: string;
}

/** The webhooks of one service. */
export class Webhooks {
  readonly addresses: WebhookAddress[] = [];
  readonly #document: JsonObject;
  readonly #rules: WebhookRules;
  /** Settled when every call so far was answered, or failed. */
  pending: Promise<unknown> = Promise.resolve();

  constructor(document: JsonObject, rules: WebhookRules) {
    this.#document = document;
    this.#rules = rules;
  }

  /** Tells of a write. */
  send(operationId: string, record: JsonObject): void {
    const { signature, id, payload, calls, members } = this.#rules;
    const example = [
      'webhooks',
      calls[operationId] ?? '',
      'post',
      'requestBody',
      'content',
      'application/json',
      'example',
    ].reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), this.#document);
    if (!isObject(example)) return;
    const recordMembers = Object.entries(members).map(([name, from]) => [name, record[from] ?? null]);
    const payloadValue = {
      ...(isObject(example[payload]) ? example[payload] : {}),
      ...Object.fromEntries(recordMembers),
    };
    const body = JSON.stringify({ ...example, [id]: randomUUID(), [payload]: payloadValue });
    for (const { url, secret } of this.addresses) {
      const headers = {
        'content-type': 'application/json',
        [signature]: createHmac('sha256', secret).update(body).digest('hex'),
      };
      this.pending = this.pending
        .then(() => fetch(url, { method: 'POST', headers, body, redirect: 'manual' }))
        .catch(() => {});
    }
  }
}
