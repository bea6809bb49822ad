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

/**
 * With errors, the new descriptor stays and `generated/` is left as it was: `connector.yaml` has to follow first.
 *
 * @throws {UsageError} for a service that is not there, and for a source that cannot be read.
 */
export async function updateConnector(
  {
    root,
    service,
    source,
    ...rules
  }: {
    readonly root: string;
    readonly service: string;
    readonly source: string | null;
  } & Omit<SourceRules, 'say'>,
  output: Output,
): Promise<boolean> {
  const services = await listServices(root);
  if (!services.includes(service)) {
    throw new UsageError(`There is no specs/${service}/. Known: ${services.join(', ') || 'none'}.`);
  }
  const before = await readFolder(root);
  if (source !== null) {
    const files = await readServiceFiles(source, { ...rules, say: output.err });
    const folder = path.join(root, 'specs', service);
    for (const url of changedUrls(await loadRecord(folder), files.record)) output.out(`${url} is not what it was.\n`);
    await writeServiceFiles(folder, files);
  }
  const isUpToDate = await runCodegen({ root, services: [service] }, output);
  if (!isUpToDate) return false;

  const reader = createSurfaceReader();
  const { acknowledgements, own } = await loadAcknowledgements(root);
  const report = buildReport({
    before: reader.read(before),
    after: reader.read(await readFolder(root)),
    base: 'before the update',
    head: 'now',
    acknowledgements: acknowledgements.filter(({ file }) => file.startsWith(`specs/${service}/`)),
    own,
    countTokens: await createTokenCounter(),
    today: new Date().toISOString().slice(0, 10),
  });
  output.out(`\n${formatMarkdown(report)}`);
  return true;
}
