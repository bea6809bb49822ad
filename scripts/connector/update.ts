/** A newer descriptor of a service takes the place of the old one, and the report says what that does to the tools. */

import path from 'node:path';
import type { Output } from '../../cli/output.ts';
import { UsageError } from '../../cli/run.ts';
import { runCodegen } from '../../codegen/command.ts';
import { listServices } from '../../codegen/load/index.ts';
import { buildReport, createSurfaceReader, createTokenCounter, formatMarkdown } from '../../codegen/report/index.ts';
import { loadAcknowledgements } from '../tools-diff/acknowledgements.ts';
import { readFolder } from '../tools-diff/sides.ts';
import { changedUrls, loadRecord } from './record.ts';
import { readServiceFiles, type SourceRules, writeServiceFiles } from './service-files.ts';

/** GitHub takes 65,536 characters as the text of a pull request. */
const MAX_REPORT_LENGTH = 60_000;

interface Update extends Omit<SourceRules, 'say'> {
  readonly root: string;
  readonly service: string;
  /** Null where the descriptor stays. */
  readonly source: string | null;
}

/**
 * With errors, the new descriptor stays and `generated/` is left as it was: `connector.yaml` has to follow first.
 *
 * @throws {UsageError} for a service that is not there, and for a source that cannot be read.
 */
export async function updateConnector(update: Update, output: Output): Promise<boolean> {
  const report = await writeUpdate(update, output);
  if (report === null) return false;
  output.out(`\n${report}`);
  return true;
}

/**
 * The same, without printing the report.
 *
 * @returns the report in Markdown; null with errors
 */
export async function writeUpdate({ root, service, source, ...rules }: Update, output: Output): Promise<string | null> {
  const services = await listServices(root);
  if (!services.includes(service)) {
    throw new UsageError(`There is no specs/${service}/. Known: ${services.join(', ') || 'none'}.`);
  }
  const before = await readFolder(root);
  if (source !== null) {
    const folder = path.join(root, 'specs', service);
    const files = await readServiceFiles(source, { ...rules, say: output.err });
    for (const url of changedUrls(await loadRecord(folder), files.record)) output.out(`${url} is not what it was.\n`);
    const { written, removed } = await writeServiceFiles(folder, files);
    for (const name of written) output.out(`Wrote specs/${service}/${name}.\n`);
    for (const name of removed) output.out(`Removed specs/${service}/${name}.\n`);
    if (written.length + removed.length === 0) output.out(`specs/${service}/ already has this descriptor.\n`);
  }
  const isUpToDate = await runCodegen({ root, services: [service] }, output);
  if (!isUpToDate) {
    output.err(`generated/${service}/ is unchanged. Adapt specs/${service}/connector.yaml, then run codegen.\n`);
    return null;
  }

  const reader = createSurfaceReader();
  const { acknowledgements, own } = await loadAcknowledgements(root);
  const sides = { before: reader.read(before), after: reader.read(await readFolder(root)) };
  const report = buildReport({
    ...sides,
    base: 'before the update',
    head: 'now',
    acknowledgements: acknowledgements.filter(({ file }) => file.startsWith(`specs/${service}/`)),
    own,
    countTokens: await createTokenCounter(sides.before, sides.after),
    today: new Date().toISOString().slice(0, 10),
  });
  const { stale } = report;
  const text = formatMarkdown({ ...report, stale: [] }, { maxLength: MAX_REPORT_LENGTH });
  return stale.length === 0 ? text : `${text}\n${toStaleNote(stale.length, service)}`;
}

/** An acknowledgement of an earlier change of the same pull request matches nothing here, and is needed all the same. */
function toStaleNote(count: number, service: string): string {
  const subject = count === 1 ? '1 acknowledgement' : `${count} acknowledgements`;
  return (
    `${subject} in \`specs/${service}/connector.yaml\` concern${count === 1 ? 's' : ''} other changes than this update's. ` +
    '`npm run tools:diff` compares with the base of the pull request, and says which can go.\n'
  );
}
