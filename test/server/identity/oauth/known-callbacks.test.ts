import { describe, expect, test } from 'vitest';
import { formTargetsOf } from '../../../../server/base/pages/page.ts';
import { clientLine, describeClient } from '../../../../server/identity/oauth/consent/client-description.ts';
import { findKnownCallback, KNOWN_CALLBACKS } from '../../../../server/identity/protocol/known-callbacks.ts';
import {
  checkRegistrableRedirectUri,
  isPrivateUseScheme,
  selectRedirectUris,
} from '../../../../server/identity/protocol/redirect-uri.ts';
import { verifies } from '../../../requirements/verifies.ts';

const HASH = '0123456789abcdef0123456789abcdef';
const EXAMPLES: readonly (readonly [application: string, uri: string])[] = [
  ['Cursor', 'cursor://anysphere.cursor-mcp/oauth/callback'],
  ['Warp', 'warp://mcp/oauth2callback'],
  ['Warp Preview', 'warppreview://mcp/oauth2callback'],
  ['Raycast', 'raycast://oauth?package_name=mcp_server_dust_(dev)'],
  ['MCPJam', 'mcpjam://oauth/callback'],
  ['Cline in VS Code', `vscode://saoudrizwan.claude-dev/mcp-auth/callback/${HASH}`],
  ['Cline in VS Code Insiders', `vscode-insiders://saoudrizwan.claude-dev/mcp-auth/callback/${HASH}`],
  ['Cline in VSCodium', `vscodium://saoudrizwan.claude-dev/mcp-auth/callback/${HASH}`],
  ['Cline in Cursor', `cursor://saoudrizwan.claude-dev/mcp-auth/callback/${HASH}`],
  ['Cline in Windsurf', `windsurf://saoudrizwan.claude-dev/mcp-auth/callback/${HASH}`],
];

describe('known callbacks', () => {
  test('have one example each', () => {
    expect(KNOWN_CALLBACKS.map(({ application }) => application)).toEqual(EXAMPLES.map(([application]) => application));
  });

  test.each(KNOWN_CALLBACKS.map((callback) => [callback.application, callback] as const))(
    'that of %s has its own scheme, a fixed path and sources',
    (_application, { uri, ending, sources }) => {
      expect(isPrivateUseScheme(new URL(uri).protocol.slice(0, -1))).toBe(true);
      expect(uri).toMatch(/^[a-z-]+:\/\/[^/?]+[/?].+/);
      expect(ending === undefined || /^\^.*\$$/.test(ending.source)).toBe(true);
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) expect(source).toMatch(/^https:\/\//);
    },
  );

  test.each(EXAMPLES)('%s registers %s without a setting', (application, uri) => {
    verifies('rfc8252-7.1-register');
    expect(selectRedirectUris([uri], [])).toEqual({ accepted: [uri], dropped: [] });
    expect(findKnownCallback(uri)?.application).toBe(application);
  });

  test.each([
    'cursor://anysphere.cursor-mcp/oauth/callback/',
    'cursor://anysphere.cursor-mcp/oauth/callback?x=1',
    'cursor://anysphere.cursor-mcp/oauth',
    'CURSOR://anysphere.cursor-mcp/oauth/callback',
    'cursor://evil.app/oauth/callback',
    'vscode://evil.extension/mcp-auth/callback/0123456789abcdef0123456789abcdef',
    'vscode://saoudrizwan.claude-dev/mcp-auth/callback/',
    'vscode://saoudrizwan.claude-dev/mcp-auth/callback/../../other',
    `vscode://saoudrizwan.claude-dev/mcp-auth/callback/${HASH}/more`,
    'raycast://oauth?package_name=a&package_name=b',
    'raycast://oauth?package_name=',
    'raycast://extensions/run?package_name=a',
  ])('%s is not a known callback', (uri) => {
    verifies('rfc8252-7.1-register');
    expect(() => selectRedirectUris([uri], [])).toThrow('has a scheme that is not accepted');
  });

  test.each(EXAMPLES)('are not for partners, which have no application on a device: %s', (_application, uri) => {
    expect(() => checkRegistrableRedirectUri(uri, [])).toThrow('has a scheme that is not accepted');
  });

  test.each(EXAMPLES)('the consent page names %s as the destination', (application, uri) => {
    const line = clientLine(describeClient({ clientId: 'c', clientName: 'Anything', document: null }, uri));
    expect(String(line)).toContain(
      `The program on this device that opens such addresses receives it. This address belongs to ${application}.`,
    );
    expect(formTargetsOf(uri)).toEqual([new URL(uri).protocol, 'https:']);
  });

  test('the consent page names no application for another address of a known scheme', () => {
    const client = { clientId: 'c', clientName: 'Cursor', document: null };
    const line = String(clientLine(describeClient(client, 'cursor://elsewhere/callback')));
    expect(line).toContain('The program on this device that opens such addresses receives it.</p>');
  });
});
