import { describe, expect, test } from 'vitest';
import { checkAuthorizationRequest } from '../../../../server/identity/oauth/authorize.ts';
import { ClientDocumentError } from '../../../../server/identity/oauth/client-documents.ts';
import { verifies } from '../../../requirements/verifies.ts';

const RESOURCE = 'https://gateway.example/api/mcp/unified';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const VALID = {
  response_type: 'code',
  client_id: 'client-1',
  redirect_uri: 'https://app.example/cb',
  state: 'a state',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};

type Changes = Readonly<Record<string, string | readonly string[] | null>>;

function check(changes: Changes = {}, client: object = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...VALID, ...changes })) {
    for (const each of typeof value === 'string' ? [value] : (value ?? [])) parameters.append(name, each);
  }
  const known = { clientId: 'client-1', redirectUris: [VALID.redirect_uri], wasAllowed: true, scopes: null, ...client };
  const forAuthorization = async (id: string) => {
    if (id.startsWith('https:')) throw new ClientDocumentError('is not a JSON object');
    if (id === 'broken') throw new Error('the store is gone');
    return (id === 'client-1' ? known : undefined) as never;
  };
  return checkAuthorizationRequest(parameters, { clients: { forAuthorization }, resource: RESOURCE });
}

const refusal = (code: string, description: string, state: string | null = VALID.state) => ({
  refusal: expect.objectContaining({ status: 400, code, description, redirectable: true }),
  redirectUri: VALID.redirect_uri,
  state,
});

describe('an authorization request', () => {
  test('that passes every rule is returned as it was sent', async () => {
    verifies('rfc6749-3.3-default');
    expect(await check()).toEqual({
      client: { clientId: 'client-1', redirectUris: [VALID.redirect_uri], wasAllowed: true, scopes: null },
      redirectUri: VALID.redirect_uri,
      state: VALID.state,
      codeChallenge: CHALLENGE,
      resource: RESOURCE,
      scopes: ['tools:read', 'tools:write'],
    });
  });

  test.each([
    [null, 'The link that brought you here names no application.'],
    ['', 'The link that brought you here names no application.'],
    ['client-2', 'The application that sent you here is not registered, or its registration has expired.'],
  ])('of the client %j is shown to the user', async (client_id, text) => {
    const advice = 'In that application, remove this server and add it again: it then registers again.';
    await expect(check({ client_id })).rejects.toMatchObject({
      status: 400,
      title: 'Unknown application',
      text,
      advice,
    });
  });

  test('of a client whose document cannot be used is shown to the user', async () => {
    await expect(check({ client_id: 'https://app.example/client' })).rejects.toMatchObject({
      status: 400,
      title: 'This application cannot be identified',
      text: 'It identifies itself by a document at an address of its own. The document is not a JSON object.',
      advice: 'Try again in a few minutes. If it happens again, tell the makers of that application.',
    });
    await expect(check({ client_id: 'broken' })).rejects.toThrow('the store is gone');
  });

  test.each([
    [{ scope: ['tools:read', 'tools:read'] }, 'scope appears more than once.'],
    [{ scope: ['', 'tools:read'] }, 'scope appears more than once.'],
    [{ code_challenge: ['x', 'y'] }, 'code_challenge appears more than once.'],
    [{ response_mode: ['query', 'query'] }, 'response_mode appears more than once.'],
    [{ response_type: null }, 'response_type is missing. It must be code.'],
    [{ response_mode: 'fragment' }, 'response_mode must be query, or left out.'],
  ])('%j is refused', async (changes, description) => {
    verifies('rfc6749-3.1-repeated', 'rfc6749-3.1.1-response-type', 'rfc6749-4.1.2.1-errors');
    expect(await check(changes)).toEqual(refusal('invalid_request', description));
  });

  test.each(['a\nb', 'ä', 'x'.repeat(4097)])('cannot have the state %j', async (state) => {
    const description = 'state is not 1 to 4096 printable ASCII characters.';
    expect(await check({ state })).toEqual(refusal('invalid_request', description, null));
  });

  test.each([
    [null, null],
    ['', null],
    ['x'.repeat(4096), 'x'.repeat(4096)],
  ])('may have the state %j', async (state, want) => {
    expect(await check({ state, response_mode: 'query' })).toMatchObject({ state: want });
  });

  test.each(['token', 'code token'])('cannot have the response type %s', async (response_type) => {
    verifies('rfc6749-3.1.1-response-type');
    const description = 'response_type must be code.';
    expect(await check({ response_type })).toEqual(refusal('unsupported_response_type', description));
  });

  test('may have unknown parameters, also twice', async () => {
    verifies('rfc6749-3.1-unknown');
    expect(await check({ prompt: 'consent', nonce: ['1', '2'] })).toEqual(await check());
  });

  test.each([[[]], [['']], [[RESOURCE]], [[RESOURCE, `${RESOURCE}/`]], [Array.from({ length: 5 }, () => RESOURCE)]])(
    'may be for the resources %j',
    async (resource) => {
      verifies('rfc8707-2-repeated', 'rfc8707-2-absent');
      expect(await check({ resource })).toMatchObject({ resource: RESOURCE });
    },
  );

  test.each([
    [['https://other.example/']],
    [['gateway']],
    [[`${RESOURCE}#x`]],
    [[RESOURCE, 'https://other.example/']],
    [Array.from({ length: 6 }, () => RESOURCE)],
  ])('cannot be for the resources %j', async (resource) => {
    verifies('rfc8707-2-foreign', 'rfc8707-2-fragment', 'rfc8707-2-repeated');
    expect(await check({ resource })).toEqual(refusal('invalid_target', `resource must be ${RESOURCE}.`));
  });

  test.each([
    ['tools:read', ['tools:read']],
    ['openid tools:read', ['tools:read']],
    ['openid TOOLS:READ', ['tools:read', 'tools:write']],
    ['tools:write', ['tools:read', 'tools:write']],
    ['openid', ['tools:read', 'tools:write']],
    ['', ['tools:read', 'tools:write']],
  ])('for the scope %j asks for %j', async (scope, scopes) => {
    verifies('rfc6749-3.1-empty');
    expect(await check({ scope })).toMatchObject({ scopes });
  });

  test('that is faulty is shown to the user where no one has allowed its client', async () => {
    await expect(check({ response_type: 'token' }, { wasAllowed: false })).rejects.toMatchObject({
      status: 400,
      title: 'This request cannot be answered',
      text: 'The application that sent you here made a mistake: response_type must be code.',
      advice: 'Go back to it and start again. If it happens again, report this text to its makers.',
    });
  });
});

describe('the code challenge (PKCE, RFC 7636)', () => {
  test.each([
    [{ code_challenge: null }, 'code_challenge is missing: PKCE is required.'],
    [{ code_challenge: '' }, 'code_challenge is missing: PKCE is required.'],
    [{ code_challenge_method: null }, 'code_challenge_method must be S256.'],
    [{ code_challenge_method: 'plain' }, 'code_challenge_method must be S256.'],
    [{ code_challenge_method: 's256' }, 'code_challenge_method must be S256.'],
    ...[CHALLENGE.slice(1), `${CHALLENGE}A`, `${CHALLENGE}=`, `${CHALLENGE.slice(1)}.`, `\n${CHALLENGE}`].map(
      (code_challenge): [Changes, string] => [
        { code_challenge },
        'code_challenge is not the base64url form of a SHA-256 hash.',
      ],
    ),
  ])('%j: %s', async (changes, description) => {
    verifies('rfc7636-4.3-required', 'rfc7636-4.2-form', 'rfc7636-4.2-s256', 'rfc7636-4.4.1-error');
    expect(await check(changes)).toEqual(refusal('invalid_request', description));
  });
});

describe('the redirect URI of an authorization request', () => {
  const checkUri = (redirect_uri: string | null, ...redirectUris: string[]) =>
    check({ redirect_uri }, { redirectUris });

  test.each([
    ['https://app.example/cb', 'https://app.example/cb'],
    ['cursor://anysphere/cb', 'cursor://anysphere/cb'],
    ['http://localhost/cb', 'http://localhost:1/cb'],
    ['http://127.0.0.1:8080/cb?a=1', 'http://127.0.0.1:65535/cb?a=1'],
    ['http://[::1]:3000', 'http://[::1]'],
    ['http://localhost?a', 'http://localhost:80?a'],
    ['http://[::1]:7000/', 'http://[::1]:9/'],
    ['http://localhost:7000', 'http://localhost'],
  ])('registered as %s may be %s', async (registered, sent) => {
    verifies('rfc8252-7.3-any-port', 'rfc8252-7.3-addresses');
    expect(await checkUri(sent, 'https://other.example/', registered)).toMatchObject({ redirectUri: sent });
  });

  test.each([
    ['https://app.example/cb', null],
    ['https://app.example/cb', ''],
    ['https://app.example/cb', 'https://app.example/cb/'],
    ['https://app.example/cb', 'https://app.example:8443/cb'],
    ['https://localhost/cb', 'https://localhost:1/cb'],
    ['http://app.example/cb', 'http://app.example:1/cb'],
    ['http://localhost/cb', 'http://127.0.0.1/cb'],
    ['http://localhost/cb', 'http://localhost:1/other'],
    ['http://localhost/cb', 'http://localhost:123456/cb'],
    ['http://localhost/cb', 'http://localhost:x/cb'],
    ['http://localhost', 'http://localhost.evil.example'],
    ['http://localhost/cb', 'xhttp://localhost:1/cb'],
    ['http://localhost/cb', 'http://localhost:1/cb\n'],
    ['https://app.example/cb', 'https://evil.example/cb'],
    ['https://app.example/cb', 'https://app.example/cb/more'],
    ['https://app.example/cb', 'https://app.example/CB'],
    ['https://app.example/cb', 'https://APP.example/cb'],
    ['https://app.example/cb', 'https://app.example:443/cb'],
    ['https://app.example/cb', 'http://app.example/cb'],
    ['https://app.example/cb', 'https://app.example/cb?x=2'],
    ['https://app.example/cb', 'https://app.example/cb#x'],
    ['https://app.example/cb', 'https://app.example@evil.example/cb'],
    ['https://app.example/cb', 'https://app.example/cb '],
    ['https://app.example/cb', 'https://app.example/x/../cb'],
    ['https://app.example/cb', 'https://app.example%2fcb'],
    ['https://app.example/cb', 'javascript:alert(1)//https://app.example/cb'],
    ['https://app.example/cb?tenant=1', 'https://app.example/cb?tenant=1&x=2'],
    ['com.example.app:/cb', 'com.example.app:/cb/more'],
    ['com.example.app:/cb', 'com.example.evil:/cb'],
    ['http://127.0.0.1:7000/cb', 'https://127.0.0.1:7000/cb'],
    ['http://127.0.0.1:7000/cb', 'http://127.0.0.1:7000@evil.example/cb'],
    ['http://127.0.0.1:7000/cb', 'http://127.0.0.1:99999/cb'],
    ['http://127.0.0.1:7000/cb', 'http://127.0.0.1\\@evil.example/cb'],
    ['http://127.0.0.1:7000/cb', 'http://127.0.0.2:7000/cb'],
    ['http://localhost/cb?from=gateway', 'http://localhost:9/cb?from=elsewhere'],
    ['http://localhost:7000', 'http://localhost:7000/'],
    ['http://[::1]:7000/', 'http://[::1]:7000'],
    ['app', 'app'],
  ])('registered as %s cannot be %j', async (registered, sent) => {
    verifies('rfc8252-7.3-rest', 'rfc9700-2.1-exact', 'rfc9700-4.11-no-open-redirector');
    await expect(checkUri(sent, registered)).rejects.toThrow(
      expect.objectContaining({
        status: 400,
        title: 'Unknown return address',
        text: 'The application wants the answer at an address that it has not registered, so nothing was sent there.',
        advice: 'In that application, remove this server and add it again: it then registers again.',
      }),
    );
  });
});
