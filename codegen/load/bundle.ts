/** Bundles the descriptor and its files into one document. */

import type { ServiceFiles } from './files.ts';
import { type SharedComponent, shareComponents } from './share-components.ts';
import { surveyDocument } from './survey.ts';

type Bundled =
  | {
      /** Every `$ref` in it is local and resolves. */
      readonly document: unknown;
      /** Components that do not come from the descriptor's own text. */
      readonly shared: readonly SharedComponent[];
    }
  | { readonly failure: string };

/** Returns a single file as it is. The bundler is imported on first use: most descriptors are one file. */
export async function bundleFiles(descriptor: string, files: ServiceFiles): Promise<Bundled> {
  const root = files.get(descriptor);
  if (root === undefined || files.size === 1) return { document: root?.value, shared: [] };
  const shared = shareComponents(descriptor, files);
  const { bundle } = await import('./swagger-parser.ts');
  try {
    const document = await bundle(descriptor, files);
    const survey = surveyDocument(document);
    const externalReference = survey.references.find(({ ref, isData }) => !isData && !ref.startsWith('#'));
    return externalReference === undefined
      ? { document, shared }
      : { failure: `$ref ${JSON.stringify(externalReference.ref)} could not be bundled.` };
  } catch (error) {
    return { failure: `The files could not be bundled: ${error instanceof Error ? error.message : String(error)}` };
  }
}
