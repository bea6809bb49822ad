/** `WWW-Authenticate`: tells the client which credentials are missing (RFC 6750 §3, RFC 9728 §5.1). */

import type { ErrorCode, StatusOf } from '../../base/http/error-codes.ts';
import { RequestError } from '../../base/http/errors.ts';
import { ALL_SCOPES, type Scope } from '../../base/principal/scopes.ts';
import { metadataUrlOf, type ResourceIdentity } from './resource-identity.ts';

/** The errors with which a protected resource rejects a request. */
interface Challenges {
  /** 401 for a request without credentials: clients start discovery because there is no `error` parameter. */
  readonly missing: () => RequestError;
  /** 401 `invalid_token`: unknown, revoked, expired, or issued for another resource. */
  readonly invalidToken: (description: string) => RequestError;
  /** 403 `insufficient_scope`, naming every scope that the operation needs. */
  readonly insufficientScope: (needed: readonly Scope[]) => RequestError;
  /** 400 `invalid_request`: the credentials are sent in a way that is not accepted. */
  readonly invalidRequest: (description: string) => RequestError;
}

/** Returns the errors for the host that a request asked for. */
export type ChallengesAt = (host: string) => Challenges;

/** Creates the errors of a resource. Each gives the metadata URL under the host that the request asked for. */
export function createChallenges(identity: ResourceIdentity): ChallengesAt {
  return (host) => challengesOf(metadataUrlOf(identity, host));
}

function challengesOf(metadataUrl: string): Challenges {
  const refuse = <Code extends ErrorCode>(
    status: StatusOf<Code>,
    error: Code,
    { description, scope }: { description: string; scope: string },
  ): RequestError => {
    const parameters = [
      `resource_metadata="${metadataUrl}"`,
      `scope="${scope}"`,
      ...(error === 'unauthorized' ? [] : [`error="${error}"`, `error_description="${toQuotable(description)}"`]),
    ];
    return new RequestError(status, error, description, {
      headers: { 'WWW-Authenticate': `Bearer ${parameters.join(', ')}`, 'Cache-Control': 'no-store' },
    });
  };
  return {
    missing: () =>
      refuse(401, 'unauthorized', {
        description: 'Send an access token as "Authorization: Bearer <token>".',
        scope: ALL_SCOPES,
      }),
    invalidToken: (description) => refuse(401, 'invalid_token', { description, scope: ALL_SCOPES }),
    insufficientScope: (needed) =>
      refuse(403, 'insufficient_scope', {
        description: `The access token needs the scope ${needed.join(' ')}.`,
        scope: needed.join(' '),
      }),
    invalidRequest: (description) => refuse(400, 'invalid_request', { description, scope: ALL_SCOPES }),
  };
}

/** Characters that `error_description` may hold (RFC 6750 §3); a quote or backslash would end or change the string. */
function toQuotable(text: string): string {
  return text.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
}
