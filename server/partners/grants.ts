/** Grants of a partner's users, on the wire: what they let their holders call, and how they are narrowed. */

import { z } from 'zod';
import { RequestError } from '../base/http/errors.ts';
import { readPermission } from '../base/principal/permission.ts';
import { mayWrite, toScopes } from '../base/principal/scopes.ts';
import type { AllowedGrant } from '../identity/grants/allowed/list.ts';
import type { Narrowing } from '../identity/grants/allowed/narrow.ts';

/** Ids of grants. */
export const ROW_ID = /^[0-9a-f-]{36}$/;

const names = z.array(z.string().min(1).max(100)).max(1000);

/** Null counts as absent. */
const NARROWING = z.strictObject({
  services: names.nullish(),
  read_only: z.boolean().nullish(),
  destructive: z.boolean().nullish(),
  without: names.nullish(),
});

/** What each member must be; read by the partner's developer. */
const EXPECTED: Readonly<Record<string, string>> = {
  services: 'a list of the services that the grant keeps',
  read_only: 'true or false',
  destructive: 'true or false',
  without: 'a list of the tools that are left out',
};

/**
 * Reads how to narrow a grant.
 *
 * @throws {RequestError} `invalid_request`, status 400, with the member that is invalid, unknown or missing.
 */
export function parseNarrowing(body: unknown): Narrowing {
  const parsed = NARROWING.safeParse(body);
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0] ?? '');
    const members = Object.keys(EXPECTED).join(', ');
    throw invalid(
      name in EXPECTED
        ? `${name} must be ${EXPECTED[name]}.`
        : `The body must be a JSON object with some of ${members}.`,
    );
  }
  const { services, read_only: readOnly, destructive, without } = parsed.data;
  const narrowing = {
    ...(services == null ? {} : { services }),
    ...(readOnly == null ? {} : { readOnly }),
    ...(destructive == null ? {} : { destructive }),
    ...(without == null ? {} : { without }),
  };
  if (Object.keys(narrowing).length === 0) throw invalid(`Name at least one of ${Object.keys(EXPECTED).join(', ')}.`);
  return narrowing;
}

/** A grant as the partner sees it. Times are RFC 3339. */
export function toGrantView({ grant, may }: AllowedGrant): object {
  const { destructive, without, only, pins } = readPermission(grant.permission);
  const { lastCall } = grant;
  return {
    id: grant.id,
    client:
      grant.clientId === null
        ? null
        : { client_id: grant.clientId, client_name: grant.clientName, redirect_uris: grant.redirectUris },
    allowed_at: toTime(grant.createdAt),
    last_used_at: grant.lastUsedAt === null ? null : toTime(grant.lastUsedAt),
    expires_at: toTime(grant.expiresAt),
    services: grant.services,
    read_only: !mayWrite(toScopes(grant.scopes)),
    destructive,
    without,
    only,
    pins,
    may: may.map(({ service, title, tools }) => ({
      service,
      title,
      reading: tools.reads,
      writing: tools.writes,
      destructive: tools.destroys,
    })),
    last_call:
      lastCall === null
        ? null
        : {
            service: lastCall.service,
            tool: lastCall.tool,
            outcome: lastCall.outcome,
            called_at: toTime(lastCall.createdAt),
          },
  };
}

/** `invalid_request`, status 400. */
export function invalid(description: string): RequestError {
  return new RequestError(400, 'invalid_request', description);
}

/** RFC 3339. @param time milliseconds since 1970. */
export function toTime(time: number): string {
  return new Date(time).toISOString();
}
