/** The last pure stage: turns decisions into text. One folder for each service, and the list of services. */

import path from 'node:path';
import { MCP_LOCK_FILE } from '../../shared/mcp/lock.ts';
import type { ConnectorModel } from '../tools/types.ts';
import { describedNames } from './body/body-names.ts';
import { CLIENT_STATEMENTS } from './client-file.ts';
import {
  hasSkills,
  rulesOf,
  toConnectorStatements,
  toLogoStatements,
  toRulesStatements,
  toSkillStatements,
} from './connector-file.ts';
import { toDefineToolStatements } from './hand-written/define-tool-file.ts';
import { toHandWrittenStatements } from './hand-written/tool-file.ts';
import { headerLine, sourceOf } from './header.ts';
import { toIndexStatements } from './index-file.ts';
import { toFileName, toIdentifiers, toServiceIdentifier } from './names.ts';
import { emitReviewPage } from './review-page.ts';
import { emitSchemaText } from './schema-file.ts';
import { toSourceFile } from './source-file.ts';
import { toToolStatements } from './tool-file.ts';
import { toStableDocument, type UnsentPlace } from './types/stable-document.ts';
import type { EmittedFile } from './types.ts';

export type { EmittedFile } from './types.ts';

/**
 * All files of one service, sorted by path.
 *
 * @param document The bundled descriptor, with local references only; it is not changed.
 * @param onProgress Called with the next step: `600 of 1223 tools`, `types`.
 */
export async function emitConnector(
  connector: ConnectorModel,
  document: unknown,
  onProgress: (next: string) => void = () => {},
): Promise<EmittedFile[]> {
  const folder = `generated/${connector.name}`;
  const source = sourceOf(connector);
  const stableDocument = toStableDocument(document, unsentPlaces(connector.credential));
  const describedByTool = new Map(connector.tools.map((tool) => [tool.name, describedNames(tool, stableDocument)]));
  const identifier = toServiceIdentifier(connector.name);
  const allTools = [...connector.tools, ...connector.handWritten];
  const toolIdentifiers = toIdentifiers(
    allTools.map(({ name }) => name),
    [identifier, 'logoImage', 'skillTexts', 'toolRules'],
  );
  const identifierOf = ({ name }: { readonly name: string }) => toolIdentifiers.get(name) ?? name;
  const toFile = (name: string, header: string, statements: readonly string[]) =>
    toSourceFile(`${folder}/${name}`, header, statements);
  const toToolFile = ({ name }: { readonly name: string }, header: string, statements: readonly string[]) =>
    toFile(`tools/${toFileName(name)}.ts`, header, statements);
  const tools = connector.tools.map((tool, index) => {
    onProgress(`${index + 1} of ${connector.tools.length} tools`);
    const bodyNames = describedByTool.get(tool.name) ?? [];
    const statements = toToolStatements(tool, identifierOf(tool), connector.servers[0]?.url, bodyNames);
    return toToolFile(tool, headerLine('tool-file.ts', source), statements);
  });
  const handWritten = connector.handWritten.map((tool) => {
    const header = headerLine('hand-written/tool-file.ts', tool.file);
    return toToolFile(tool, header, toHandWrittenStatements(tool, identifierOf(tool)));
  });
  onProgress('types');
  const header = headerLine('connector-file.ts', source);
  const files = [
    toFile('index.ts', header, toConnectorStatements(connector, identifier, toolIdentifiers)),
    { path: `${folder}/TOOLS.md`, text: emitReviewPage(headerLine('review-page.ts', source), connector) },
    ...tools,
    ...handWritten,
  ];
  // No request of a tool of an MCP server is checked against types, and no one calls it by HTTP.
  if (path.basename(connector.file) !== MCP_LOCK_FILE) {
    files.push(toFile('client.ts', headerLine('client-file.ts', source), CLIENT_STATEMENTS), {
      path: `${folder}/schema.d.ts`,
      text: emitSchemaText(headerLine('schema-file.ts', source), stableDocument),
    });
  }
  if (handWritten.length > 0) {
    const defineTool = headerLine('hand-written/define-tool-file.ts', source);
    files.push(toFile('define-tool.ts', defineTool, toDefineToolStatements(connector.tools)));
  }
  if (connector.logo !== null) files.push(toFile('logo.ts', header, toLogoStatements(connector.logo.base64)));
  if (rulesOf(connector).length > 0) files.push(toFile('rules.ts', header, toRulesStatements(connector)));
  if (hasSkills(connector)) {
    const skillsHeader = headerLine('connector-file.ts', `specs/${connector.name}/skills/`);
    files.push(toFile('skills.ts', skillsHeader, toSkillStatements(connector.skills)));
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What the credential fills or makes superfluous. */
function unsentPlaces(credential: ConnectorModel['credential']): readonly UnsentPlace[] {
  const { alternatives = [], extras = [], repeated = [] } = credential;
  const parts = [credential, ...alternatives, ...extras].flatMap((kind) => kind.parts);
  return [
    ...parts.flatMap(({ type, name }) =>
      (type === 'query' || type === 'header' || type === 'cookie') && name !== null ? [{ in: type, name }] : [],
    ),
    ...repeated.map((place) => {
      const [location = '', ...words] = place.split('.');
      return { in: location, name: words.join('.') };
    }),
  ];
}

/** `generated/index.ts` for these services. */
export function emitIndex(names: readonly string[]): EmittedFile {
  const header = headerLine('index-file.ts', 'the folders of specs/');
  return toSourceFile('generated/index.ts', header, toIndexStatements(names));
}
