/** Why a metadata document cannot be used as a client. */

/** A client id or document that cannot be used. The description continues the sentence that begins with "The document". */
export class ClientDocumentError extends Error {
  override readonly name = 'ClientDocumentError';
  readonly description: string;

  constructor(description: string, options?: ErrorOptions) {
    super(`client metadata document: ${description}`, options);
    this.description = description;
  }
}
