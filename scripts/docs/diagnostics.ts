/** The reference page of codegen's diagnostics. */

import { DIAGNOSTICS, type DiagnosticCode } from '../../codegen/diagnostics.ts';
import { DIAGNOSTIC_EXAMPLES } from './diagnostic-examples.ts';
import { cell } from './markdown.ts';

const HEAD = `# Diagnostics of codegen

\`npm run codegen\` prints each with file, line and column, a message and a fix. An *error* stops the service that it is in: nothing of it is written. A *warning* lets it
pass, and often means that an operation becomes no tool. A *note* (\`info\`) tells what was done; \`--verbose\` prints all of them.
`;

const SEVERITIES = { error: 'Errors', warning: 'Warnings', info: 'Notes' } as const;

/** Every diagnostic, by severity and then in catalogue order. */
export function emitDiagnosticsPage(): string {
  const codes = Object.keys(DIAGNOSTICS) as DiagnosticCode[];
  const sections = Object.entries(SEVERITIES).map(([severity, title]) => {
    const own = codes.filter((code) => DIAGNOSTICS[code].severity === severity);
    return `## ${title}\n\n${own.map(emitOne).join('\n')}`;
  });
  return [HEAD, ...sections].join('\n');
}

function emitOne(code: DiagnosticCode): string {
  const { title, cause, fix } = DIAGNOSTICS[code];
  return `### ${code}\n\n${cell(`${title}. ${cause}`)}\n\n- Fix: ${cell(fix)}\n- Example: ${cell(DIAGNOSTIC_EXAMPLES[code])}\n`;
}
