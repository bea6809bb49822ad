/** A typed client of the partner API, for a partner's server: paths, parameters and answers are those of the gateway's description. */

import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

/** What a partner authenticates with. */
export interface PartnerCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A client whose requests carry the partner's credentials. */
export type PartnerClient = Client<paths>;

/** What an answer or a request of the API holds, by the name of its schema. */
export type Schemas = components['schemas'];

/** A refusal of the gateway. */
export class PartnerApiError extends Error {
  override readonly name = 'PartnerApiError';
  readonly status: number;
  /** `error` of the answer. */
  readonly code: string;
  /** `error_description` of the answer: a sentence for the partner's developer. */
  readonly description: string;

  constructor(status: number, { error, error_description }: Schemas['Error']) {
    super(`${error}: ${error_description}`);
    this.status = status;
    this.code = error;
    this.description = error_description;
  }
}

/** @param gateway its origin, without a final slash. */
export function createPartnerClient(gateway: string, { clientId, clientSecret }: PartnerCredentials): PartnerClient {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return createClient<paths>({ baseUrl: gateway, headers: { Authorization: `Basic ${basic}` } });
}

/** What the gateway answered. @throws {PartnerApiError} where it refused. */
export async function answerOf<Data>(
  answer: Promise<{ data?: Data; error?: Schemas['Error']; response: Response }>,
): Promise<Data> {
  const { data, error, response } = await answer;
  if (error !== undefined) throw new PartnerApiError(response.status, error);
  return data as Data;
}

/** Headers and serializer of a request whose body is a form. */
export const AS_FORM = {
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  bodySerializer: (body: object) => new URLSearchParams(Object.entries(body)).toString(),
} as const;
