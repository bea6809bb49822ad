/** The authorization endpoint (RFC 6749 §3.1): a page on which a tester picks a user and allows or denies access. */

import { escapeHtml, type PlainAnswer, type SandboxRequest, toPage } from '../http.ts';
import { OAuthProblem, type Parameters, readBody, readPairs } from './request.ts';
import type { SandboxOAuthRules } from './rules.ts';
import { checkExtras, checkScopes, type ServerState, splitScopes } from './token.ts';

const TITLE = 'Sandbox: allow access';

interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly challenge: string | null;
}

/**
 * GET shows the page; POST of its form (`user`, `decision`: `allow` or `deny`) redirects the browser to the client.
 *
 * Without a valid client and redirect URI, the error is shown here and not sent to the client (RFC 6749 §4.1.2.1).
 */
export function answerAuthorize(
  request: SandboxRequest,
  rules: SandboxOAuthRules,
  state: ServerState,
  title: string,
): PlainAnswer {
  let parameters: Parameters;
  let redirectUri: URL;
  try {
    parameters = readPairs(request.url.searchParams);
    redirectUri = readRedirectUri(parameters);
  } catch (error) {
    if (!(error instanceof OAuthProblem)) throw error;
    return toPage(400, TITLE, `<h1>This request cannot be allowed</h1>\n<p>${escapeHtml(error.message)}</p>`);
  }
  const redirectBack = (members: Readonly<Record<string, string>>): PlainAnswer => {
    const target = new URL(redirectUri);
    const clientState = parameters.get('state');
    const answerParameters = { ...members, ...(clientState === undefined ? {} : { state: clientState }) };
    for (const [name, value] of Object.entries(answerParameters)) target.searchParams.set(name, value);
    if (rules.issuer !== null) target.searchParams.set('iss', request.base);
    return { status: 303, headers: { location: target.href, 'cache-control': 'no-store' }, body: Buffer.alloc(0) };
  };
  try {
    const authorizationRequest = readAuthorizationRequest(parameters, rules, state);
    if (request.method !== 'POST') return toConsentPage(authorizationRequest, title, state);
    const form = readBody(request);
    if (form.get('decision') !== 'allow') throw new OAuthProblem('access_denied', 'The user denied it.');
    const code = state.grants.issueCode({ ...authorizationRequest, user: form.get('user') || 'ada' });
    return redirectBack({ code });
  } catch (error) {
    if (!(error instanceof OAuthProblem)) throw error;
    return redirectBack({ error: error.code, error_description: error.message });
  }
}

function readRedirectUri(parameters: Parameters): URL {
  if ((parameters.get('client_id') ?? '') === '') throw new OAuthProblem('invalid_request', 'client_id is missing.');
  const text = parameters.get('redirect_uri') ?? '';
  if (!URL.canParse(text)) throw new OAuthProblem('invalid_request', 'redirect_uri is missing or not a URL.');
  const uri = new URL(text);
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(uri.hostname);
  if (uri.hash !== '' || !(uri.protocol === 'https:' || (uri.protocol === 'http:' && isLoopback))) {
    throw new OAuthProblem('invalid_request', 'redirect_uri must be https or on this machine, without a fragment.');
  }
  return uri;
}

/** @throws {OAuthProblem} that is sent to the client. */
function readAuthorizationRequest(
  parameters: Parameters,
  rules: SandboxOAuthRules,
  state: ServerState,
): AuthorizationRequest {
  if (parameters.get('response_type') !== 'code') {
    throw new OAuthProblem('unsupported_response_type', 'response_type must be code.');
  }
  if ((parameters.get('state') ?? '') === '') throw new OAuthProblem('invalid_request', 'state is missing.');
  checkExtras(parameters, rules.authorizeParameters);
  const scopes = splitScopes(parameters.get(rules.scopeParameter), rules);
  checkScopes(scopes, state);
  return {
    clientId: parameters.get('client_id') ?? '',
    redirectUri: parameters.get('redirect_uri') ?? '',
    scopes,
    challenge: rules.pkce === false ? null : readChallenge(parameters, rules.pkce === true),
  };
}

/** RFC 7636 §4.3; S256 only. */
function readChallenge(parameters: Parameters, required: boolean): string | null {
  const challenge = parameters.get('code_challenge');
  if (challenge === undefined && !required) return null;
  if (!/^[\w-]{43}$/.test(challenge ?? '') || parameters.get('code_challenge_method') !== 'S256') {
    throw new OAuthProblem('invalid_request', 'code_challenge is required, with the method S256.');
  }
  return challenge ?? null;
}

function toConsentPage({ clientId, scopes }: AuthorizationRequest, title: string, state: ServerState): PlainAnswer {
  const items = scopes.map((scope) => `    <li><code>${escapeHtml(scope)}</code></li>`).join('\n');
  const page = `<h1>${escapeHtml(title)} (sandbox)</h1>
<p><strong>${escapeHtml(clientId)}</strong> asks for access to an account.</p>
${items === '' ? '<p>It asks for no scope.</p>' : `<p>It asks for these scopes:</p>\n  <ul>\n${items}\n  </ul>`}
<form method="post">
<label for="user">User name <input id="user" name="user" value="ada" required autocomplete="off" aria-describedby="any"></label>
<button name="decision" value="allow" class="primary">Allow</button> <button name="decision" value="deny">Deny</button>
<p id="any">Any name works.</p>
</form>`;
  return toPage(200, TITLE, page, state.settings().cutsOpener ? { 'cross-origin-opener-policy': 'same-origin' } : {});
}
