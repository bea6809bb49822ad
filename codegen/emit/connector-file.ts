/** `index.ts` of a service: its name, what a user must supply, its servers and its tools. Also `logo.ts`, its image, `skills.ts` and `rules.ts`. */

import { CONTRACT_MODULE } from '../contract-module.ts';
import type { Schema } from '../model/types.ts';
import type { ConnectorModel, CredentialPart, UnlabelledKind } from '../tools/types.ts';
import { block, jsonMembers, propertyKey, stringLiteral, unlessEmpty } from './literal.ts';
import { toFileName } from './names.ts';
import { exportedConstant, importOf, typeImportOf } from './source-file.ts';

/**
 * @param identifier Name of the exported constant.
 * @param toolIdentifiers Name of each tool's constant, by tool name.
 */
export function toConnectorStatements(
  connector: ConnectorModel,
  identifier: string,
  toolIdentifiers: ReadonlyMap<string, string>,
): string[] {
  const toToolReference = ({ name }: { readonly name: string }) => ({
    name,
    identifier: toolIdentifiers.get(name) ?? name,
  });
  const tools = connector.tools.map(toToolReference);
  const handWritten = connector.handWritten.map(toToolReference);
  const statements: string[] = [typeImportOf(CONTRACT_MODULE, 'GeneratedConnector')];
  for (const tool of [...tools, ...handWritten]) {
    statements.push(importOf(`./tools/${toFileName(tool.name)}.ts`, tool.identifier));
  }
  if (connector.logo !== null) statements.push(importOf('./logo.ts', 'logo as logoImage'));
  if (rulesOf(connector).length > 0) statements.push(importOf('./rules.ts', 'rules as toolRules'));
  if (hasSkills(connector)) statements.push(importOf('./skills.ts', 'skills as skillTexts'));
  const members = connectorMembers(connector, tools, handWritten);
  return [...statements, exportedConstant(identifier, 'GeneratedConnector', block('{', members, '}'))];
}

interface ToolReference {
  readonly identifier: string;
}

/** The texts as files write them, one line or sentence on each line. */
export function toSkillStatements(skills: ConnectorModel['skills']): string[] {
  return [
    typeImportOf(CONTRACT_MODULE, 'GeneratedConnector'),
    exportedConstant('skills', "NonNullable<GeneratedConnector['skills']>", block('{', jsonMembers(skills), '}')),
  ];
}

/** The image as base64, so that the gateway needs no file next to its code. */
export function toLogoStatements(base64: string): string[] {
  const lines = base64.match(/.{1,100}/g) ?? [];
  return [exportedConstant('logo', 'string', `${block('[', lines.map(stringLiteral), ']')}.join('')`)];
}

/** The rules of tools as JSON, which is parsed at the first call of its tool. */
export function toRulesStatements(connector: ConnectorModel): string[] {
  const members = rulesOf(connector).map(
    ([name, rules]) => `${propertyKey(name)}: ${stringLiteral(JSON.stringify(rules))}`,
  );
  return [
    typeImportOf(CONTRACT_MODULE, 'GeneratedConnector'),
    exportedConstant('rules', "NonNullable<GeneratedConnector['rules']>", block('{', members, '}')),
  ];
}

/** The tools that have rules, by name. */
export function rulesOf({ tools }: ConnectorModel): (readonly [string, Schema])[] {
  return tools.flatMap(({ name, rules }) => (rules === null ? [] : [[name, rules] as const]));
}

export function hasSkills({ skills }: ConnectorModel): boolean {
  return Object.keys(skills).length > 0;
}

function connectorMembers(
  connector: ConnectorModel,
  tools: readonly ToolReference[],
  handWritten: readonly ToolReference[],
): string[] {
  const { credential, logo } = connector;
  const members = jsonMembers({
    name: connector.name,
    title: connector.title,
    description: connector.description,
    categories: connector.categories,
    credential: {
      ...toKind(credential),
      label: credential.label,
      alternatives: credential.alternatives?.map((kind) => ({ label: kind.label, ...toKind(kind) })),
      extras: credential.extras?.map((kind) => ({ label: kind.label, ...toKind(kind), verify: kind.verify })),
    },
    verify: connector.verify,
    account: connector.account ?? undefined,
    servers: connector.servers,
    errors: connector.errors,
    rateLimitHeaders: unlessEmpty(connector.rateLimitHeaders),
    caps: connector.caps ?? undefined,
    synonyms: unlessEmpty(connector.synonyms),
    events: connector.events ?? undefined,
  });
  if (logo !== null) {
    members.push(`logo: { type: ${stringLiteral(logo.type)}, hash: ${stringLiteral(logo.hash)}, base64: logoImage }`);
  }
  if (hasSkills(connector)) members.push('skills: skillTexts');
  if (rulesOf(connector).length > 0) members.push('rules: toolRules');
  members.push(toList('tools', tools));
  if (handWritten.length > 0) members.push(toList('handWritten', handWritten));
  return members;
}

function toList(name: string, tools: readonly ToolReference[]): string {
  const identifiers = tools.map(({ identifier }) => identifier);
  return `${name}: ${block('[', identifiers, ']')}`;
}

function toKind({ parts, help, url }: UnlabelledKind) {
  return { parts: parts.map(toPart), help, url };
}

function toPart(part: CredentialPart) {
  const { id, type, label } = part;
  if (part.type === 'oauth2') return { id, type, label, oauth2: part.oauth2 };
  const { name, prefix, isPublic, pattern } = part;
  return { id, type, label, name: name ?? undefined, prefix, isPublic, pattern };
}
