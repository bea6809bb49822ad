/** The reference page of all settings. */

import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { GROUPS } from '../../server/config/setting.ts';
import { describeVariables } from '../../server/index.ts';
import { code, table } from './markdown.ts';

const HEAD = `# Settings

Settings are environment variables of the gateway; one that is empty counts as not set. The gateway reports all problems with them at once, and does not start with any.
[Running the gateway](../guides/running.md) explains them; \`npm start -- --help\` prints them.

Each setting is also a flag of \`npm start\`, which goes before the variable: \`--public-url https://tools.example.com\` for \`PUBLIC_URL\`. Secrets are no flags, because other
users of the machine see command lines. They may come from files: \`ENCRYPTION_KEYS_FILE\` names the file that holds \`ENCRYPTION_KEYS\`.
`;

/** Every setting, including those of this project's connectors. */
export async function emitSettingsPage(): Promise<string> {
  const variables = describeVariables(await loadConnectors());
  const used = GROUPS.filter((group) => variables.some((variable) => variable.group === group));
  const sections = used.map((group) => {
    const own = variables.filter((variable) => variable.group === group);
    const rows = own.map(({ name, type, default: otherwise, meaning }) => [code(name), type, otherwise, meaning]);
    return `## ${group}\n\n${table(['Setting', 'Value', 'Default', 'Meaning'], rows)}`;
  });
  return [HEAD, ...sections].join('\n');
}
