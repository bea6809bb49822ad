/** Reads the overlay of a service: `overlay.yaml` or `overlay.json` in its folder (OpenAPI Overlay 1.0 and 1.1). */

import { jsonpath } from 'json-p3';
import { z } from 'zod';
import type { Problem } from '../../diagnostics.ts';
import { toPointer } from '../../json-pointer.ts';
import { readInside, type ServiceFolder } from '../service-folder.ts';
import { parseSource, type Source } from '../text/source.ts';

const target = z.string().superRefine((query, context) => {
  try {
    jsonpath.compile(query);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
});
const action = z
  .object({
    target,
    description: z.string().optional(),
    update: z.unknown().optional(),
    copy: target.optional(),
    remove: z.boolean().optional(),
  })
  .loose();
/** An overlay file. */
export const overlaySchema = z
  .object({
    overlay: z.string().regex(/^1\.[01]\.\d+$/, 'This version is not known: 1.0.0 and 1.1.0 are.'),
    info: z.object({ title: z.string(), version: z.string() }).loose(),
    extends: z.string().optional(),
    actions: z.array(action).min(1).max(10_000),
  })
  .loose();

/** A change to the nodes that `target` selects, a JSONPath query (RFC 9535). */
export type OverlayAction = z.infer<typeof action>;

/** An overlay. */
export type Overlay = z.infer<typeof overlaySchema>;

/** An overlay that was read, or why it was not; null if the folder has none. */
export type LoadedOverlay =
  | { readonly source: Source; readonly overlay: Overlay }
  | { readonly source: Source | null; readonly problems: readonly Problem[] };

const NAMES = ['overlay.yaml', 'overlay.yml', 'overlay.json'];

/** Reads the overlay. Every fault in the file is a problem in the result. */
export async function loadOverlay(folder: ServiceFolder): Promise<LoadedOverlay | null> {
  const overlays = NAMES.filter((name) => folder.entries.includes(name));
  const [name] = overlays;
  if (name === undefined) return null;
  const file = `${folder.file}/${name}`;
  const refuse = (source: Source | null, problems: readonly Omit<Problem, 'code' | 'file'>[]): LoadedOverlay => ({
    source,
    problems: problems.map((problem) => ({ code: 'overlay-invalid', file, ...problem })),
  });
  if (overlays.length > 1)
    return refuse(null, [{ pointer: '', message: `${folder.file}/ has ${overlays.join(' and ')}.` }]);
  const read = await readInside(folder, name);
  if ('refused' in read) return refuse(null, [{ pointer: '', message: read.message }]);
  const source = parseSource(file, read.text);
  if (source.faults.length > 0) {
    return refuse(
      source,
      source.faults.map(({ position, message }) => ({ pointer: '', position, message })),
    );
  }
  const parsed = overlaySchema.safeParse(source.value);
  if (parsed.success) return { source, overlay: parsed.data };
  return refuse(
    source,
    parsed.error.issues.map(({ path, message }) => ({
      pointer: toPointer(path.map(String)),
      message,
    })),
  );
}
