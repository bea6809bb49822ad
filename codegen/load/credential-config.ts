/**
 * The keys of `connector.yaml` about the credential of a service: what a user enters, and how OAuth 2.0 works there.
 */

import { z } from 'zod';
import { findPatternProblem } from '../../shared/patterns/index.ts';
import { argumentName, httpsUrl, pointer, scope, text, toolName } from './config-values.ts';

const cookieName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a token of HTTP, the name of a cookie');

const prefix = z.string().regex(/^(?! )[\x20-\x7e]*$/, 'must be visible ASCII and spaces, not a space first');

const parameters = z.record(text, z.string());

/** A missing value comes from the descriptor, else from RFC 6749. */
export const oauth2 = z.strictObject({
  flow: z
    .enum(['authorization_code', 'client_credentials'])
    .optional()
    .describe('authorization_code: each user signs in. client_credentials: the gateway speaks for itself.'),
  authorizationUrl: httpsUrl.optional().describe('Where the browser of the user goes.'),
  tokenUrl: httpsUrl.optional().describe('Where the gateway gets tokens; client secrets are sent there.'),
  refreshUrl: httpsUrl.optional().describe('Where tokens are refreshed. Default: at tokenUrl.'),
  revocationUrl: httpsUrl.optional().describe('RFC 7009: where tokens of removed connections are revoked.'),
  issuer: httpsUrl.optional().describe('What `iss` of the answer must be (RFC 9207).'),
  scopes: z
    .array(scope)
    .optional()
    .describe('Always requested, in addition to those that the tools need, such as offline_access.'),
  scopeSeparator: z.string().min(1).optional().describe('Separator of scopes. Default: a space.'),
  scopeParameter: text.optional().describe('The parameter that lists the scopes. Default: scope.'),
  authorizeParameters: parameters
    .optional()
    .describe('More parameters of the authorization request, such as access_type: offline.'),
  tokenParameters: parameters.optional().describe('More parameters of the token request.'),
  clientAuthentication: z
    .enum(['basic', 'body', 'none'])
    .optional()
    .describe('Where the client secret goes: Authorization header, body, or there is none. Default: basic.'),
  tokenRequest: z.enum(['form', 'json']).optional().describe('How token requests are written. Default: form.'),
  answer: z
    .strictObject({
      accessToken: pointer.optional().describe('The access token. Default: /access_token.'),
      refreshToken: pointer.optional().describe('The refresh token. Default: /refresh_token.'),
      expiresIn: pointer.optional().describe('In how many seconds the access token expires. Default: /expires_in.'),
      scope: pointer.optional().describe('The scopes that were granted. Default: /scope.'),
    })
    .optional()
    .describe('Where the token answer keeps what the gateway reads.'),
  expiresInSeconds: z
    .int()
    .positive()
    .optional()
    .describe('Lifetime of access tokens if the answer does not say. Default: they do not expire.'),
  prefix: z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'must be visible ASCII and spaces')
    .optional()
    .describe("What comes before the token in the Authorization header. Default: 'Bearer ', with its space."),
  refreshTokenIdleSeconds: z
    .int()
    .positive()
    .optional()
    .describe('Time after which an unused refresh token expires. Idle connections are refreshed before.'),
  pkce: z.boolean().optional().describe('RFC 7636 with S256. Default: true; false where the upstream refuses it.'),
});

/** Of a part that need not be a secret, such as the id of an account. */
const open = {
  id: text,
  label: text,
  secret: z.literal(false).optional().describe('It is no secret: pages show it. Default: it is one.'),
  pattern: text
    .refine((pattern) => findPatternProblem(pattern) === null, 'must be a regular expression that runs in linear time')
    .optional()
    .describe('A regular expression (ECMA-262, u flag) that the whole value must match.'),
};

const credentialPart = z
  .discriminatedUnion('type', [
    z.strictObject({ id: text, type: z.enum(['bearer', 'basic', 'oauth2']), label: text }),
    z.strictObject({
      ...open,
      type: z.literal('header'),
      name: text.describe('The header.'),
      prefix: prefix
        .optional()
        .describe('What comes before the key, such as GenieKey; a space follows a word. Default: nothing.'),
    }),
    z.strictObject({ ...open, type: z.literal('cookie'), name: cookieName.describe('The cookie.') }),
    z.strictObject({
      ...open,
      type: z.enum(['query', 'path', 'body']),
      name: text.describe(
        'The query parameter, the path parameter, or the member of a JSON body or a form; dots lead into objects: auth.key.',
      ),
    }),
  ])
  .meta({ id: 'credentialPart' });

/** The guidance for a user who has to find a credential. */
const guidance = {
  help: text.optional().describe('Plain text for the connect page: where a user finds the credential.'),
  url: httpsUrl.optional().describe("The upstream's page where the credential is made."),
};

/** The keys of one kind of credential, the first or an alternative. */
const kind = {
  schemes: z
    .array(text)
    .optional()
    .describe('Which security schemes to ask for, where the descriptor offers alternatives. An empty list: none.'),
  parts: z
    .array(credentialPart)
    .optional()
    .describe(
      'For descriptors that declare no security scheme, or one that cannot be sent. Parts with one id and label are one secret in several places.',
    ),
  ...guidance,
};

export const verify = z.strictObject({
  tool: toolName.describe('A tool that only reads.'),
  arguments: z.record(argumentName, z.unknown()).default({}).describe('What it is called with.'),
});

export const credential = z.strictObject({
  ...kind,
  also: z
    .array(credentialPart)
    .optional()
    .describe(
      'Asked for with every kind: secrets that the descriptor declares as arguments, and with `secret: false` what each connection has of its own, such as the id of an account. No tool takes them.',
    ),
  repeated: z
    .array(z.string().regex(/^(query|header|cookie|body)\..+$/, 'must be query.x, header.x, cookie.x or body.x'))
    .optional()
    .describe(
      'Arguments that repeat what the credential sends in its own place, such as query.token next to OAuth 2.0. They are not sent, also where the descriptor requires them.',
    ),
  labels: z.record(text, text).optional().describe('By security scheme: what the connect page calls it.'),
  prefixes: z
    .record(text, prefix)
    .optional()
    .describe(
      'By security scheme that is a header: what comes before the key there, such as Token. An empty text: nothing. Default: what the description of the scheme shows.',
    ),
  oauth2: z
    .record(text, oauth2)
    .optional()
    .describe(
      'How OAuth 2.0 works, by security scheme or by the id of a part: what the descriptor leaves out or gets wrong.',
    ),
  label: text.optional().describe('What the connect page calls this kind of credential if there are others.'),
  extras: z
    .array(
      z.strictObject({
        label: text.describe('What pages and errors call it, such as Admin key.'),
        verify: verify
          .optional()
          .describe('The call that proves that it works, of a tool that needs it. Default: none.'),
        schemes: z.array(text).min(1).describe('Its security schemes.'),
        ...guidance,
      }),
    )
    .optional()
    .describe(
      "What few tools need in addition. A user gives it only when a tool asks for it; it is kept on the same connection. Default: the descriptor's schemes for what the first kind does not cover; an empty list: none.",
    ),
  alternatives: z
    .array(z.strictObject({ label: text.describe('What the connect page calls this kind.'), ...kind }))
    .optional()
    .describe(
      "Other kinds, of which a user may choose one, such as a key in place of OAuth 2.0. Default: the descriptor's; an empty list: none.",
    ),
});

/** `[a, b]`: both; `[[a], [b]]`: either. */
export const scopes = z.union([z.array(scope), z.array(z.array(scope).min(1)).min(1)]);

export type CredentialConfig = z.output<typeof credential>;
export type KindConfig = Pick<CredentialConfig, 'schemes' | 'parts' | 'help' | 'url'>;
export type OAuth2Config = z.output<typeof oauth2>;
export type PartConfig = z.output<typeof credentialPart>;
