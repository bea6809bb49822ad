/** The addresses of uploads. */

import { USER_PAGE_PATH } from '../../identity/partners/user-links.ts';

/** Takes the bytes by PUT, and no other method. The secret part follows. */
export const PUT_PATH = '/api/uploads';
/** Name of the pages on which users send files. */
export const PAGE_NAME = 'uploads';
/** The id of an upload follows. */
export const PAGE_PATH = `${USER_PAGE_PATH}/${PAGE_NAME}`;
