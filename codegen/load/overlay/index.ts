/** Overlays: repairs of a descriptor in a separate file, applied before every other stage. */

import type { Problem } from '../../diagnostics.ts';
import { applyOverlay } from './apply.ts';
import type { LoadedOverlay } from './read.ts';

export { type LoadedOverlay, loadOverlay } from './read.ts';

/** Changes the descriptor in place. An action that changes nothing is a problem, at its place in the overlay. */
export function overlayDescriptor(document: unknown, loaded: LoadedOverlay | null): readonly Problem[] {
  if (loaded === null) return [];
  if ('problems' in loaded) return loaded.problems;
  const { source, overlay } = loaded;
  return applyOverlay(document, overlay).map(({ index, why }) => ({
    code: 'overlay-unused',
    file: source.file,
    pointer: `/actions/${index}`,
    message: why,
  }));
}
