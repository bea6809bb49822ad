/** The credential of a first `connector.yaml`: what users supply, how OAuth 2.0 goes, and who is connected. */

import { askedScopes } from '../../codegen/asked-scopes.ts';
import { toConfiguredPart } from '../../codegen/tools/connector/credential-parts.ts';
import type { ConnectorModel, CredentialKind, OAuth2Part, ToolModel } from '../../codegen/tools/types.ts';
import type { Assumptions } from './assumptions.ts';
import { isTextMember } from './text-member.ts';
import { quoted } from './yaml.ts';

/** Notes what a person must decide, and writes its comment. */
export type Decide = (place: string, text: string, indent?: string) => void;

const NAMES = ['display_name', 'displayName', 'global_name', 'name', 'full_name', 'login', 'username', 'email'];

/** Lines of the file; each thing to decide goes to `decide`, which writes its comment. */
export function writeCredential(
  connector: ConnectorModel,
  { parts, partial }: Assumptions,
  lines: string[],
  decide: Decide,
): void {
  const { credential, name } = connector;
  const { alternatives = [] } = credential;
  const kinds = [credential, ...alternatives];
  const signIns = kinds.flatMap((kind) => kind.parts.flatMap((part) => (part.type === 'oauth2' ? [part] : [])));
  if (parts !== null) {
    decide(
      'credential',
      'the descriptor wants a sign-in that the gateway does not run for users as it stands there. Has the upstream OAuth 2.0 with an authorization code? Then say so under credential.oauth2 (authorizationUrl, tokenUrl). Until somebody decides, users give an access token. Where do they get one that lasts? Or is there an API key?',
    );
    lines.push('credential:', '  parts:');
    for (const part of parts) lines.push(`    - ${JSON.stringify(toConfiguredPart(part))}`);
  } else if (credential.parts.length === 0) {
    decide('credential', 'the descriptor names no credential; is the service open? If so: credential: { schemes: [] }');
    lines.push(
      '# OAuth 2.0, where the upstream has it:',
      '# credential:',
      '#   parts:',
      `#     - { id: account, type: oauth2, label: ${quoted(`${connector.title} account`)}, authorizationUrl: https://..., tokenUrl: https://... }`,
      `# Register at the upstream as the redirect URI: ${callbackOf(name)}`,
    );
  } else {
    decide(
      'credential',
      'what do users call the credential, where do they find it, and what is that page? (labels, help, url)',
    );
    if (partial !== null) decide('credential', partial);
    lines.push('credential:', ...kindLines(credential, alternatives));
    for (const part of signIns) writeSignIn(part, connector, lines, decide);
  }
  lines.push('');
}

/** `account`, where the tool that tells who the user is has a name in its answer. */
export function writeAccount(tool: ToolModel | null, lines: string[], decide: Decide): void {
  const pointers = tool === null ? [] : namesIn(tool.outputSchema, '');
  if (tool === null || pointers.length === 0) return;
  decide('account', 'does this name who is connected, as people know themselves there?');
  lines.push('account:', `  tool: ${tool.name}`, `  name: [${pointers.join(', ')}]`, '');
}

function kindLines(credential: ConnectorModel['credential'], alternatives: readonly CredentialKind[]): string[] {
  const ids = ({ parts }: Pick<CredentialKind, 'parts'>) => `[${parts.map(({ id }) => quoted(id)).join(', ')}]`;
  const parts = [credential, ...alternatives].flatMap((kind) => kind.parts);
  const prefixed = parts.flatMap((part) =>
    part.type === 'header' && part.prefix !== undefined ? [[part.id, part.prefix] as const] : [],
  );
  return [
    ...(alternatives.length === 0 ? [] : [`  schemes: ${ids(credential)}`]),
    '  labels:',
    ...parts.map(({ id, label }) => `    ${quoted(id)}: ${quoted(label)}`),
    ...(prefixed.length === 0 ? [] : ['  prefixes:']),
    ...prefixed.map(([id, prefix]) => `    ${quoted(id)}: ${quoted(prefix)}`),
    ...(alternatives.length === 0 ? [] : ['  # The user chooses one kind; the one above is offered first.']),
    ...(alternatives.length === 0 ? [] : ['  alternatives:']),
    ...alternatives.flatMap((kind) => [`    - label: ${quoted(kind.label)}`, `      schemes: ${ids(kind)}`]),
  ];
}

function writeSignIn({ id, oauth2 }: OAuth2Part, { name, tools }: ConnectorModel, lines: string[], decide: Decide) {
  const scopes = askedScopes(
    oauth2.scopes,
    tools.map((tool) => tool.scopes),
  );
  const place = `credential.oauth2.${id}`;
  decide(
    place,
    `register an application at the upstream, with the redirect URI ${callbackOf(name)}. How does it want the client secret: basic, body, or none?`,
    '  ',
  );
  lines.push('  oauth2:', `    ${quoted(id)}:`, `      clientAuthentication: ${oauth2.clientAuthentication}`);
  decide(
    place,
    'does a refresh token need a scope or a parameter? For instance: scopes: [offline_access], or authorizeParameters: { access_type: offline }',
    '      ',
  );
  decide(
    place,
    'is there a revocation endpoint, and do unused refresh tokens expire? (revocationUrl, refreshTokenIdleSeconds)',
    '      ',
  );
  decide(
    place,
    scopes.length === 0
      ? 'no tool says which scopes it needs. Which do they need? (tools.<name>.scopes, defaults.scopes)'
      : `users are asked for ${scopes.join(', ')}. Does a tool need less, or something else? (tools.<name>.scopes)`,
    '      ',
  );
}

function callbackOf(service: string): string {
  return `<PUBLIC_URL>/connect/${service}/callback`;
}

/** Pointers to members that hold a name, at the root or in the one object that wraps an answer. */
function namesIn(schema: Readonly<Record<string, unknown>>, pointer: string): string[] {
  const members = (schema.properties ?? {}) as Record<string, Readonly<Record<string, unknown>>>;
  const found = NAMES.filter((name) => Object.hasOwn(members, name) && isTextMember(members[name] ?? {}));
  if (found.length > 0 || pointer !== '') return found.map((name) => `${pointer}/${name}`);
  return ['data', 'user'].flatMap((name) =>
    Object.hasOwn(members, name) ? namesIn(members[name] ?? {}, `/${name}`) : [],
  );
}
