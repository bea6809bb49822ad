import * as oauth from 'oauth4webapi';
import { expect, test } from 'vitest';
import { createVisitor } from './page-visitor.ts';
import { describeOAuth, PUBLIC_URL, REDIRECT_URI, RESOURCE } from './support.ts';

describeOAuth('oauth4webapi, a strict client', (given) => {
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: object) =>
      fetch(url.replace(PUBLIC_URL, given.origin), init as RequestInit),
  };

  test.each(['none', 'client_secret_basic', 'client_secret_post'])(
    'discovers, registers as %s, signs in, refreshes, and revokes',
    async (method) => {
      const resource = new URL(RESOURCE);
      const protectedResource = await oauth.processResourceDiscoveryResponse(
        resource,
        await oauth.resourceDiscoveryRequest(resource, options),
      );
      const issuer = new URL(protectedResource.authorization_servers![0]!);
      const server = await oauth.processDiscoveryResponse(
        issuer,
        await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' }),
      );
      const client = await oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(
          server,
          { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: method, client_name: 'Strict' },
          options,
        ),
      );
      const secret = client.client_secret as string;
      const authentication = {
        none: () => oauth.None(),
        client_secret_basic: () => oauth.ClientSecretBasic(secret),
        client_secret_post: () => oauth.ClientSecretPost(secret),
      }[method]!();

      const codeVerifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const visitor = createVisitor(given);
      await visitor.open({
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: REDIRECT_URI,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        resource: RESOURCE,
      });
      const { session_token } = (await given.session()).body;
      await visitor.submit({ connection_code: session_token, decision: 'continue' });
      const redirect = await visitor.submit({ decision: 'allow' });
      const callback = oauth.validateAuthResponse(server, client, new URL(redirect.headers.get('Location')!), state);

      const request = { ...options, additionalParameters: { resource: RESOURCE } };
      const tokens = await oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          callback,
          REDIRECT_URI,
          codeVerifier,
          request,
        ),
      );
      expect([tokens.token_type, tokens.expires_in, tokens.scope]).toEqual(['bearer', 3600, 'tools:read tools:write']);
      expect(await given.use(tokens.access_token)).toBe(200);

      const refresh = async (refreshToken: string) =>
        oauth.processRefreshTokenResponse(
          server,
          client,
          await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, request),
        );
      const refreshed = await refresh(tokens.refresh_token!);
      expect(await given.use(refreshed.access_token)).toBe(200);
      await expect(refresh(tokens.refresh_token!)).rejects.toMatchObject({
        status: 400,
        error: 'temporarily_unavailable',
      });

      const revocation = await oauth.revocationRequest(
        server,
        client,
        authentication,
        refreshed.refresh_token!,
        options,
      );
      await oauth.processRevocationResponse(revocation);
      expect(await given.use(refreshed.access_token)).toBe(401);
      await expect(refresh(refreshed.refresh_token!)).rejects.toMatchObject({ error: 'invalid_grant' });
    },
  );
});
