/** The page on which the user sends a file. It needs no script: browsers let people drop a file on the field. */

import { RequestError } from '../../base/http/errors.ts';
import { markOf, partnerNameOf } from '../../base/pages/brand.ts';
import { clientNameHtml } from '../../base/pages/client-name.ts';
import { alert, button, checkMark, type Fact, facts, foreign, hidden } from '../../base/pages/components.ts';
import { html, shownName } from '../../base/pages/html.ts';
import { PageError } from '../../base/pages/page-errors.ts';
import { relativeTime } from '../../base/pages/times.ts';
import type { Outcome, UserPage, UserPageRequest } from '../../base/pages/user-pages.ts';
import type { Partner } from '../../base/store/repositories/partners.ts';
import { CSRF_FIELD, FILE_FIELD, readForm } from './form.ts';
import { PAGE_NAME } from './paths.ts';
import type { UploadRequest, Uploads, WaitingUpload } from './uploads.ts';

const KIBIBYTE = 1024;

/** Creates the page. The id of an upload is no secret: its file is taken from its user alone. */
export function createUploadPage(uploads: Uploads): UserPage {
  const find = async (request: UserPageRequest): Promise<WaitingUpload> => {
    const upload = await uploads.find(request.param('id'));
    if (upload === undefined) throw noSuchUpload();
    return upload;
  };
  return {
    name: PAGE_NAME,
    reason: 'A client asks you for a file.',
    findUser: async (id) => (await uploads.find(id))?.userId,
    show: async (request) => askPage(await find(request), request, null),
    async submit(request) {
      const upload = await find(request);
      const { ctx, csrf, partner } = request;
      try {
        const read = (maxBytes: number) => readForm(ctx, csrf, maxBytes);
        const { bytes } = await uploads.receive({ id: request.param('id') }, undefined, read);
        return donePage(upload, partner, bytes);
      } catch (error) {
        if (!(error instanceof RequestError) || error.status === 404) throw error;
        ctx.set(error.headers);
        return askPage(upload, request, error);
      }
    },
  };
}

function noSuchUpload(): PageError {
  return new PageError(404, {
    title: 'No file is awaited here',
    text: 'The address is wrong, a file was sent already, or it is older than 10 minutes.',
    advice: 'Ask the client for a new one.',
  });
}

/** Asks for the file. @param problem why the last one was refused, or null. */
function askPage(
  { request, expiresAt }: WaitingUpload,
  { partner, now, csrf }: UserPageRequest,
  problem: RequestError | null,
): Outcome {
  const { serviceTitle, toolTitle, mediaTypes, maxBytes } = request;
  const title = `Send a file to ${serviceTitle}`;
  const user = shownName(request.externalUserId) ?? 'a user whose name cannot be shown';
  const list: Fact[] = [
    { term: 'Asked by', value: clientOf(request, partner) },
    { term: 'For', value: foreign(user), remark: `User of ${partnerNameOf(partner)}` },
    { term: 'Sent to', value: serviceTitle, remark: toolTitle },
  ];
  const fileName = shownName(request.name);
  if (fileName !== null)
    list.push({ term: 'File', value: foreign(fileName), remark: 'The name that the client gives it' });
  list.push({ term: 'Expires', value: relativeTime(expiresAt, now) });
  const accept = (request.mediaType === null ? mediaTypes : [request.mediaType]).join(',');
  const content = html`<header>${markOf(partner)}<h1>${title}</h1></header>
${problem === null ? null : alert('The file was not taken', problem.description)}
${facts(list)}
<p>Send a file only if you asked the client for it. The client uses it once, for this tool.</p>
<form method="post" enctype="multipart/form-data">${hidden(CSRF_FIELD, csrf)}
<label for="${FILE_FIELD}">File to choose, or to drop here, at most ${sizeText(maxBytes)}${accept === '' ? null : html` (${accept.replaceAll(',', ', ')})`}</label>
<input type="file" name="${FILE_FIELD}" id="${FILE_FIELD}" required${accept === '' ? null : html` accept="${accept}"`}>
<div class="actions">${button('Send the file', { kind: 'primary' })}</div></form>`;
  return { title: problem === null ? title : `Error: ${title}`, content, status: problem?.status ?? 200 };
}

/** Says that the file has arrived. */
function donePage({ request }: WaitingUpload, partner: Partner, bytes: number): Outcome {
  const title = 'The file has arrived';
  const content = html`<header>${checkMark()}<h1>${title}</h1></header>
<p>${sizeText(bytes)} are kept encrypted until ${clientOf(request, partner)} has used them, for an hour at most. Close this page, and continue there.</p>`;
  return { title, content };
}

function clientOf({ clientName }: UploadRequest, partner: Partner) {
  return clientNameHtml(clientName, 'a client without a name', partner.name);
}

function sizeText(bytes: number): string {
  if (bytes < KIBIBYTE) return `${bytes} bytes`;
  if (bytes < KIBIBYTE * KIBIBYTE) return `${Math.floor(bytes / KIBIBYTE)} KiB`;
  return `${Math.floor(bytes / KIBIBYTE / KIBIBYTE)} MiB`;
}
