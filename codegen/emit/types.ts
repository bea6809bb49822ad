/** The output of `emit`: text, not yet on disk. */

export interface EmittedFile {
  /** Path relative to the project's root, with `/`, such as `generated/retrieval/index.ts`. */
  readonly path: string;
  readonly text: string;
}
