/** The last pure stage: turns decisions into text. One folder for each service, and the list of services. */

import type { ConnectorModel } from '../tools/types.ts';
import { describedNames } from './body/body-names.ts';
import { toClientStatements } from './client-file.ts';
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
import { createSourcePrinter } from './source-file.ts';
import { toToolStatements } from './tool-file.ts';
import { toStableDocument } from './types/stable-document.ts';
import type { EmittedFile } from './types.ts';

export type { EmittedFile } from './types.ts';

/**
 * All files of one service, sorted by path.
 *
 * @param document The bundled descriptor, with local references only; it is not changed.
 * @param onProgress Called with the next step: `600 of 1223 tools`, `types`.
 * @throws {EmitError} if a file does not parse, which is a bug in codegen.
 */
export async function emitConnector(
  connector: ConnectorModel,
  document: unknown,
  onProgress: (next: string) => void = () => {},
): Promise<EmittedFile[]> {
  const folder = `generated/${connector.name}`;
  const source = sourceOf(connector);
  const kinds = [connector.credential, ...(connector.credential.alternatives ?? [])];
  const credentialParts = kinds.flatMap((kind) => kind.parts);
  const filledParameters = credentialParts.flatMap(({ type, name }) =>
    (type === 'query' || type === 'header' || type === 'cookie') && name !== null ? [{ in: type, name }] : [],
  );
  const stableDocument = toStableDocument(document, filledParameters);
  const describedByTool = new Map(connector.tools.map((tool) => [tool.name, describedNames(tool, stableDocument)]));
  const printer = createSourcePrinter();
  const identifier = toServiceIdentifier(connector.name);
  const allTools = [...connector.tools, ...connector.handWritten];
  const toolIdentifiers = toIdentifiers(
    allTools.map(({ name }) => name),
    [identifier, 'logoImage', 'skillTexts', 'toolRules'],
  );

  const tools = connector.tools.map((tool, index) => {
    onProgress(`${index + 1} of ${connector.tools.length} tools`);
    const constant = toolIdentifiers.get(tool.name) ?? tool.name;
    const statements = toToolStatements(
      tool,
      constant,
      connector.servers[0]?.url,
      describedByTool.get(tool.name) ?? [],
    );
    return printer.print(`${folder}/tools/${toFileName(tool.name)}.ts`, headerLine('tool-file.ts', source), statements);
  });
  const handWritten = connector.handWritten.map((tool) => {
    const statements = toHandWrittenStatements(tool, toolIdentifiers.get(tool.name) ?? tool.name);
    const header = headerLine('hand-written/tool-file.ts', tool.file);
    return printer.print(`${folder}/tools/${toFileName(tool.name)}.ts`, header, statements);
  });
  const defineTool = headerLine('hand-written/define-tool-file.ts', source);
  onProgress('types');
  const files = [
    printer.print(
      `${folder}/index.ts`,
      headerLine('connector-file.ts', source),
      toConnectorStatements(connector, identifier, toolIdentifiers),
    ),
    printer.print(`${folder}/client.ts`, headerLine('client-file.ts', source), toClientStatements()),
    printer.accept(`${folder}/schema.d.ts`, emitSchemaText(headerLine('schema-file.ts', source), stableDocument)),
    { path: `${folder}/TOOLS.md`, text: emitReviewPage(headerLine('review-page.ts', source), connector) },
    ...(handWritten.length === 0
      ? []
      : [printer.print(`${folder}/define-tool.ts`, defineTool, toDefineToolStatements(connector.tools))]),
    ...(connector.logo === null
      ? []
      : [
          printer.print(
            `${folder}/logo.ts`,
            headerLine('connector-file.ts', source),
            toLogoStatements(connector.logo.base64),
          ),
        ]),
    ...(rulesOf(connector).length === 0
      ? []
      : [printer.print(`${folder}/rules.ts`, headerLine('connector-file.ts', source), toRulesStatements(connector))]),
    ...(hasSkills(connector)
      ? [
          printer.print(
            `${folder}/skills.ts`,
            headerLine('connector-file.ts', `specs/${connector.name}/skills/`),
            toSkillStatements(connector.skills),
          ),
        ]
      : []),
    ...tools,
    ...handWritten,
  ];
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * `generated/index.ts` for these services.
 *
 * @throws {EmitError} if the text does not parse.
 */
export function emitIndex(names: readonly string[]): EmittedFile {
  const header = headerLine('index-file.ts', 'the folders of specs/');
  return createSourcePrinter().print('generated/index.ts', header, toIndexStatements(names));
}
