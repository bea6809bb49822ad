/** A typed client of the partner API for a partner's server, whose types come from the gateway's OpenAPI description; and its webhooks. */

import createClient, { type Client } from 'openapi-fetch';
import { Webhook } from 'standardwebhooks';
import type { components, EventData, paths } from './api.d.ts';

export { WebhookVerificationError } from 'standardwebhooks';

/** The credentials that a partner authenticates with. */
interface PartnerCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A client whose requests carry the partner's credentials. */
export type PartnerClient = Client<paths>;

/** Request and response bodies of the API, by schema name. */
export type Schemas = components['schemas'];

/** An error answer of the gateway. */
export class PartnerApiError extends Error {
  override readonly name = 'PartnerApiError';
  readonly status: number;
  /** `error` in the answer. */
  readonly code: string;
  /** `error_description` in the answer: a sentence for the partner's developer. */
  readonly description: string;

  constructor(status: number, { error, error_description }: Schemas['Error']) {
    super(`${error}: ${error_description}`);
    this.status = status;
    this.code = error;
    this.description = error_description;
  }
}

/** How requests are sent. */
interface PartnerClientOptions {
  /** Sends a request, such as with a deadline. Default: the `fetch` of the platform. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** @param gateway the gateway's origin, without a final slash. */
export function createPartnerClient(
  gateway: string,
  { clientId, clientSecret }: PartnerCredentials,
  options: PartnerClientOptions = {},
): PartnerClient {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return createClient<paths>({ baseUrl: gateway, headers: { Authorization: `Basic ${basic}` }, ...options });
}

/** Returns the data of a successful answer. @throws {PartnerApiError} for any other. */
export async function answerOf<Data>(
  answer: Promise<{ data?: Data; error?: Schemas['Error']; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer;
  if (error !== undefined) throw new PartnerApiError(response.status, error);
  return data as Data;
}

/**
 * Returns the data of a successful answer, or null for 404 `not_found`. The gateway knows a user once something was connected for them.
 *
 * @throws {PartnerApiError} for any other answer.
 */
export async function answerOrNull<Data>(answer: Parameters<typeof answerOf<Data>>[0]): Promise<Data | null> {
  try {
    return await answerOf(answer);
  } catch (error) {
    if (error instanceof PartnerApiError && error.status === 404) return null;
    throw error;
  }
}

/** Headers and serializer for a request with a form body. */
export const AS_FORM = {
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  bodySerializer: (body: object) => new URLSearchParams(Object.entries(body)).toString(),
} as const;

/** An event of one type, in the feed and in the body of a webhook. */
export type PartnerEvent<Type extends keyof EventData = keyof EventData> = {
  readonly [Each in Type]: {
    /** The same each time the event is sent: handle it once. */
    readonly id: string;
    readonly type: Each;
    /** RFC 3339. */
    readonly timestamp: string;
    readonly data: EventData[Each];
  };
}[Type];

/** Headers as `fetch` or `node:http` give them. */
type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the event once its signature is verified. A gateway newer than this package may send other types: ignore those that you
 * do not know.
 *
 * @param secret of the endpoint, `whsec_...`.
 * @param body exactly as received, before anything parses it.
 * @throws {WebhookVerificationError} for another signature, and for a timestamp more than five minutes off.
 */
export function verifyWebhook(secret: string, body: string | Uint8Array, headers: WebhookHeaders): PartnerEvent {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const textHeaders = Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  return new Webhook(secret).verify(text, textHeaders) as PartnerEvent;
}
