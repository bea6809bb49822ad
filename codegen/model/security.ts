/** Security Scheme, OAuth Flows and Security Requirement Objects (OpenAPI 3.1 §4.8.27, §4.8.28, §4.8.30). */

import { isRecord, toRecord } from '../json.ts';
import type { ModelContext } from './context.ts';
import { childEntries, childItems, childNode, type DescriptorNode, dereference, toText } from './descriptor-node.ts';
import type { OAuth2FlowModel, SecurityAlternative, SecuritySchemeModel } from './types.ts';

/**
 * Flows by their OpenAPI names, in order of preference: with a code, the upstream knows which user the gateway acts
 * for.
 */
const FLOWS = [
  ['authorizationCode', 'authorization_code'],
  ['clientCredentials', 'client_credentials'],
] as const satisfies [string, OAuth2FlowModel['flow']][];

/** The descriptor's security schemes, sorted by id. */
export function buildSecuritySchemes(context: ModelContext, root: DescriptorNode): SecuritySchemeModel[] {
  return childEntries(childNode(childNode(root, 'components'), 'securitySchemes'))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, node: schemeNode }) => buildScheme(name, dereference(context.document, schemeNode)));
}

function buildScheme(id: string, { value, pointer }: DescriptorNode): SecuritySchemeModel {
  const source = toRecord(value);
  const type = toText(source.type);
  const common = { id, description: toText(source.description), pointer };
  if (type === 'http') {
    const scheme = toText(source.scheme).toLowerCase();
    if (scheme === 'bearer' || scheme === 'basic') return { ...common, type: scheme };
    return { ...common, type: 'unsupported', kind: `http ${scheme}`.trim() };
  }
  const location = source.in;
  if (type === 'apiKey' && (location === 'header' || location === 'query' || location === 'cookie')) {
    return { ...common, type, in: location, name: toText(source.name) };
  }
  if (type === 'oauth2') return { ...common, type, ...buildFlows(toRecord(source.flows)) };
  if (type === 'openIdConnect') return { ...common, type: 'oauth2', kind: type, flows: [], scopes: [] };
  return { ...common, type: 'unsupported', kind: type };
}

function buildFlows(declared: Readonly<Record<string, unknown>>) {
  const flows = FLOWS.flatMap(([name, flow]): OAuth2FlowModel[] => {
    if (!isRecord(declared[name])) return [];
    const { authorizationUrl, tokenUrl, refreshUrl } = declared[name];
    const hasPage = flow === 'authorization_code';
    return [
      {
        flow,
        authorizationUrl: hasPage ? toText(authorizationUrl) || null : null,
        tokenUrl: toText(tokenUrl) || null,
        refreshUrl: toText(refreshUrl) || null,
      },
    ];
  });
  const names = Object.keys(declared).filter((name) => isRecord(declared[name]));
  const kind = flows.length > 0 ? 'oauth2' : `oauth2 ${toFlowWords(names)}`;
  const scopes = names.flatMap((name) => Object.keys(toRecord(toRecord(declared[name]).scopes)));
  return { kind, flows, scopes: [...new Set(scopes)].sort() };
}

function toFlowWords(names: readonly string[]): string {
  if (names.length === 0) return 'without a flow';
  return `with the ${names.length === 1 ? 'flow' : 'flows'} ${names.join(' and ')} alone`;
}

/** Names that authors give to the absence of a credential, which OpenAPI writes as `{}`. */
const NO_CREDENTIAL =
  /^(?:unauthenticated|unauthorized|anonymous|public|open|none|no[-_ ]?(?:auth|authentication|security))$/i;

/** True for a scheme that stands for no credential: one of those names, which is not declared or has no way to be sent. */
function isNoCredential(name: string, schemes: readonly SecuritySchemeModel[]): boolean {
  if (!NO_CREDENTIAL.test(name)) return false;
  const scheme = schemes.find(({ id }) => id === name);
  if (scheme === undefined || scheme.type === 'unsupported') return true;
  return scheme.type === 'apiKey' && NO_CREDENTIAL.test(scheme.name);
}

/** The alternatives of a `security` array, or null if there is none. `{}` is the alternative without a scheme. */
export function buildSecurity(
  context: ModelContext,
  owner: DescriptorNode,
  schemes: readonly SecuritySchemeModel[],
): SecurityAlternative[] | null {
  const securityNode = childNode(owner, 'security');
  if (!Array.isArray(securityNode.value)) return null;
  return childItems(securityNode).map((item) =>
    childEntries(item).flatMap(({ name, node: requirement }) => {
      if (isNoCredential(name, schemes)) return [];
      if (!schemes.some(({ id }) => id === name)) {
        const message = `${JSON.stringify(name)} is not one of components.securitySchemes.`;
        context.report('security-scheme-unknown', requirement.pointer, message);
      }
      return { id: name, scopes: childItems(requirement).flatMap(({ value }) => toText(value) || []) };
    }),
  );
}
