/**
 * The retrieval tools on the wire, one literal row per call.
 *
 * Longer than most files because nothing in it is derived: every path, query, header and body is written out.
 */

import type { WireCase } from './case.ts';

const documentId = '8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11';
const authorization = 'Bearer test-retrieval-key';
const bare = { headers: { authorization }, absentHeaders: ['partition', 'content-type', 'range'] } as const;
const scoped = { headers: { authorization, partition: 'acme-hr' }, absentHeaders: ['content-type'] } as const;
const json = { headers: { authorization, 'content-type': 'application/json' }, absentHeaders: ['partition'] } as const;
const scopedJson = { headers: { authorization, 'content-type': 'application/json', partition: 'acme-hr' } } as const;

const leavePolicy = {
  id: documentId,
  status: 'ready',
  name: 'Leave policy 2026.pdf',
  created_at: '2026-03-09T10:15:22.481000Z',
  updated_at: '2026-03-09T10:17:05.120000Z',
  metadata: { department: 'people', year: 2026 },
  partition: 'acme-hr',
  chunk_count: 48,
  external_id: 'dms-20931',
  page_count: 12,
};
const officeHours = {
  id: 'c7a5d2de-91b6-4f6e-8c0a-5d4f3be1a733',
  status: 'pending',
  name: 'Office hours',
  created_at: '2026-03-10T09:00:00.000000Z',
  updated_at: '2026-03-10T09:00:00.000000Z',
  metadata: { department: 'people' },
  partition: 'acme-hr',
  chunk_count: null,
  external_id: null,
  page_count: null,
};
const partition = {
  name: 'acme-hr',
  is_default: false,
  limit_exceeded_at: null,
  description: 'People policies of Acme.',
  context_aware: true,
  metadata_schema: { type: 'object', properties: { department: { type: 'string' } } },
  limits: { pages_hosted_limit_max: 5000, media_streamed_limit_monthly: null },
};
const partitionDetail = {
  ...partition,
  stats: { document_count: 37, pages_hosted_total: 522, audio_processed_total: 5400, video_processed_total: 1800 },
};

const retrievals: readonly WireCase[] = [
  {
    tool: 'retrieval_retrieve',
    title: 'sends every argument in the body, the partition included',
    arguments: {
      query: 'parental leave in Berlin',
      topK: 4,
      filter: { $and: [{ department: { $in: ['people', 'legal'] } }, { year: { $gte: 2024 } }] },
      rerank: true,
      partition: 'acme-hr',
      recencyBias: true,
      maxChunksPerDocument: 2,
    },
    request: {
      method: 'POST',
      url: '/retrievals',
      ...json,
      body: {
        query: 'parental leave in Berlin',
        top_k: 4,
        filter: { $and: [{ department: { $in: ['people', 'legal'] } }, { year: { $gte: 2024 } }] },
        rerank: true,
        partition: 'acme-hr',
        recency_bias: true,
        max_chunks_per_document: 2,
      },
    },
    reply: {
      status: 200,
      body: {
        scored_chunks: [
          {
            text: 'Parents employed in Berlin take up to 60 days.',
            score: 0.8731,
            id: '5b0de2b4-2f6e-4d0c-9d0e-0f6f5d1c7a10',
            index: 14,
            metadata: { page_number: 6 },
            document_id: documentId,
            document_name: 'Leave policy 2026.pdf',
            document_metadata: { department: 'people', year: 2026 },
            links: { self: { href: 'https://api.ragie.ai/chunks/14', type: 'application/json' } },
          },
        ],
      },
    },
    result: {
      structuredContent: {
        scored_chunks: [
          {
            text: 'Parents employed in Berlin take up to 60 days.',
            score: 0.8731,
            id: '5b0de2b4-2f6e-4d0c-9d0e-0f6f5d1c7a10',
            index: 14,
            metadata: { page_number: 6 },
            document_id: documentId,
            document_name: 'Leave policy 2026.pdf',
            document_metadata: { department: 'people', year: 2026 },
            links: { self: { href: 'https://api.ragie.ai/chunks/14', type: 'application/json' } },
          },
        ],
      },
    },
  },
  {
    tool: 'retrieval_retrieve',
    title: 'sends the query alone',
    arguments: { query: 'payday' },
    request: { method: 'POST', url: '/retrievals', ...json, body: { query: 'payday' } },
    reply: { status: 200, body: { scored_chunks: [] } },
    result: { structuredContent: { scored_chunks: [] } },
  },
  {
    tool: 'retrieval_retrieve',
    title: 'keeps false and zero-like values',
    arguments: { query: 'payday', rerank: false, recencyBias: false, filter: {} },
    request: {
      method: 'POST',
      url: '/retrievals',
      ...json,
      body: { query: 'payday', filter: {}, rerank: false, recency_bias: false },
    },
    reply: { status: 200, body: { scored_chunks: [] } },
    result: { structuredContent: { scored_chunks: [] } },
  },
  {
    tool: 'retrieval_retrieve',
    title: 'reports a used-up plan',
    arguments: { query: 'payday' },
    request: { method: 'POST', url: '/retrievals', ...json, body: { query: 'payday' } },
    reply: { status: 402, body: { detail: 'The page limit of your plan is used up.' } },
    result: { isError: true, text: ['402', 'The page limit of your plan is used up.'] },
  },
  {
    tool: 'retrieval_retrieve',
    title: 'reports which field the service refuses',
    arguments: { query: 'payday', maxChunksPerDocument: 0 },
    request: {
      ...{ method: 'POST', url: '/retrievals', ...json },
      body: { query: 'payday', max_chunks_per_document: 0 },
    },
    reply: {
      status: 422,
      body: {
        detail: [
          { loc: ['body', 'max_chunks_per_document'], msg: 'Input should be greater than 0', type: 'greater_than' },
        ],
      },
    },
    result: { isError: true, text: ['422', 'Input should be greater than 0', 'max_chunks_per_document'] },
  },
];

const documents: readonly WireCase[] = [
  {
    tool: 'retrieval_find_document',
    title: 'reads the list of documents of the default partition',
    arguments: { key: leavePolicy.name.toUpperCase() },
    request: { method: 'GET', url: '/documents?page_size=100', absentHeaders: ['partition'] },
    reply: { status: 200, body: { pagination: { next_cursor: null, total_count: 1 }, documents: [leavePolicy] } },
    result: {
      structuredContent: { pagination: { next_cursor: null, total_count: 1 }, documents: [leavePolicy] },
    },
  },
  {
    tool: 'retrieval_list_documents',
    title: 'sends filter text, cursor and page size in the query and the partition as a header',
    arguments: {
      cursor: 'eyJjIjoxfQ==',
      filter: '{"department":{"$in":["people","legal & tax"]}}',
      pageSize: 2,
      partition: 'acme-hr',
    },
    request: {
      method: 'GET',
      url: '/documents?cursor=eyJjIjoxfQ%3D%3D&filter=%7B%22department%22%3A%7B%22%24in%22%3A%5B%22people%22%2C%22legal%20%26%20tax%22%5D%7D%7D&page_size=2',
      ...scoped,
    },
    reply: {
      status: 200,
      body: { pagination: { next_cursor: 'eyJjIjoyfQ==', total_count: 37 }, documents: [leavePolicy] },
    },
    result: {
      structuredContent: {
        pagination: { next_cursor: 'eyJjIjoyfQ==', total_count: 37 },
        documents: [leavePolicy],
        page: {
          nextArguments: {
            cursor: 'eyJjIjoyfQ==',
            filter: '{"department":{"$in":["people","legal & tax"]}}',
            pageSize: 2,
            partition: 'acme-hr',
          },
        },
      },
    },
  },
  {
    tool: 'retrieval_list_documents',
    title: 'sends nothing when nothing is given and ends on a null cursor',
    arguments: {},
    request: { method: 'GET', url: '/documents', ...bare },
    reply: { status: 200, body: { pagination: { next_cursor: null, total_count: 1 }, documents: [leavePolicy] } },
    result: {
      structuredContent: {
        pagination: { next_cursor: null, total_count: 1 },
        documents: [leavePolicy],
        page: { nextArguments: null },
      },
    },
  },
  {
    tool: 'retrieval_list_documents',
    title: 'ends on a missing cursor',
    arguments: { pageSize: 100 },
    request: { method: 'GET', url: '/documents?page_size=100', ...bare },
    reply: { status: 200, body: { pagination: { total_count: 0 }, documents: [] } },
    result: { structuredContent: { pagination: { total_count: 0 }, documents: [], page: { nextArguments: null } } },
  },
  {
    tool: 'retrieval_list_documents',
    title: 'reports a refused key',
    arguments: {},
    request: { method: 'GET', url: '/documents', ...bare },
    reply: { status: 401, body: { detail: 'Invalid API key' } },
    result: { isError: true, text: ['401', 'Invalid API key'] },
  },
  {
    tool: 'retrieval_list_documents',
    title: 'reports a rate limit and how long to wait',
    arguments: {},
    request: { method: 'GET', url: '/documents', ...bare },
    reply: { status: 429, headers: { 'retry-after': '30' }, body: { detail: 'Rate limit exceeded' } },
    result: { isError: true, text: ['429', 'Rate limit exceeded', '30'] },
  },
  {
    tool: 'retrieval_get_document',
    title: 'sends the partition as a header',
    arguments: { documentId, partition: 'acme-hr' },
    request: { method: 'GET', url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11', ...scoped },
    reply: { status: 200, body: { ...leavePolicy, errors: [] } },
    result: { structuredContent: { ...leavePolicy, errors: [] } },
  },
  {
    tool: 'retrieval_get_document',
    title: 'encodes an id that is not path-safe',
    arguments: { documentId: 'hr/leave policy?v=2#ü' },
    request: { method: 'GET', url: '/documents/hr%2Fleave%20policy%3Fv%3D2%23%C3%BC', ...bare },
    reply: { status: 200, body: { ...leavePolicy, status: 'failed', errors: ['The file is encrypted.'] } },
    result: { structuredContent: { ...leavePolicy, status: 'failed', errors: ['The file is encrypted.'] } },
  },
  {
    tool: 'retrieval_get_document',
    title: 'reports an unknown id',
    arguments: { documentId },
    request: { method: 'GET', url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11', ...bare },
    reply: { status: 404, body: { detail: 'Document not found' } },
    result: { isError: true, text: ['404', 'Document not found'] },
  },
  {
    tool: 'retrieval_create_document_raw',
    title: 'sends every argument in the body and takes 201',
    arguments: {
      data: '# Office hours\nOpen from 8:00 to 18:00.',
      name: 'Office hours',
      metadata: { department: 'people', tags: ['office', 'it'], year: 2026, reviewed: true },
      partition: 'acme-hr',
      externalId: 'wiki-5512',
    },
    request: {
      method: 'POST',
      url: '/documents/raw',
      ...json,
      body: {
        data: '# Office hours\nOpen from 8:00 to 18:00.',
        name: 'Office hours',
        metadata: { department: 'people', tags: ['office', 'it'], year: 2026, reviewed: true },
        partition: 'acme-hr',
        external_id: 'wiki-5512',
      },
    },
    reply: { status: 201, body: { ...officeHours, external_id: 'wiki-5512' } },
    result: { structuredContent: { ...officeHours, external_id: 'wiki-5512' } },
  },
  {
    tool: 'retrieval_create_document_raw',
    title: 'sends data that is an object as it is',
    arguments: { data: { question: 'When is payday?', answer: { day: 25 } } },
    request: {
      method: 'POST',
      url: '/documents/raw',
      ...json,
      body: { data: { question: 'When is payday?', answer: { day: 25 } } },
    },
    reply: { status: 201, body: officeHours },
    result: { structuredContent: officeHours },
  },
  {
    tool: 'retrieval_create_document_raw',
    title: 'leaves text that looks like JSON a text',
    arguments: { data: '{"a": 1}' },
    request: { method: 'POST', url: '/documents/raw', ...json, body: { data: '{"a": 1}' } },
    reply: { status: 201, body: officeHours },
    result: { structuredContent: officeHours },
  },
  {
    tool: 'retrieval_create_document_from_url',
    title: 'sends every argument in the body and takes 201',
    arguments: {
      url: 'https://www.example.com/handbook/travel.pdf?lang=de',
      mode: 'hi_res',
      name: 'Travel handbook',
      metadata: { department: 'finance' },
      partition: 'acme-hr',
      externalId: 'dms-1',
    },
    request: {
      method: 'POST',
      url: '/documents/url',
      ...json,
      body: {
        url: 'https://www.example.com/handbook/travel.pdf?lang=de',
        mode: 'hi_res',
        name: 'Travel handbook',
        metadata: { department: 'finance' },
        partition: 'acme-hr',
        external_id: 'dms-1',
      },
    },
    reply: { status: 201, body: { ...officeHours, name: 'Travel handbook' } },
    result: { structuredContent: { ...officeHours, name: 'Travel handbook' } },
  },
  {
    tool: 'retrieval_create_document_from_url',
    title: 'sends a mode that is an object as it is',
    arguments: {
      url: 'https://www.example.com/all-hands.mp4',
      mode: { static: 'agentic_ocr', audio: true, video: 'audio_video' },
    },
    request: {
      method: 'POST',
      url: '/documents/url',
      ...json,
      body: {
        url: 'https://www.example.com/all-hands.mp4',
        mode: { static: 'agentic_ocr', audio: true, video: 'audio_video' },
      },
    },
    reply: { status: 201, body: officeHours },
    result: { structuredContent: officeHours },
  },
  {
    tool: 'retrieval_create_document_from_url',
    title: 'sends the URL alone and reports one that cannot be fetched',
    arguments: { url: 'https://www.example.com/gone.pdf' },
    request: { method: 'POST', url: '/documents/url', ...json, body: { url: 'https://www.example.com/gone.pdf' } },
    reply: { status: 400, body: { detail: 'The URL could not be fetched.' } },
    result: { isError: true, text: ['400', 'The URL could not be fetched.'] },
  },
  {
    tool: 'retrieval_patch_document_metadata',
    title: 'sends null for a key to remove, and the partition as a header beside a body',
    arguments: {
      documentId,
      metadata: { reviewed: true, draft: null, tags: ['a', 'b'] },
      partition: 'acme-hr',
      async: true,
    },
    request: {
      method: 'PATCH',
      url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/metadata',
      ...scopedJson,
      body: { metadata: { reviewed: true, draft: null, tags: ['a', 'b'] }, async: true },
    },
    reply: { status: 202, body: { status: 'ok' } },
    result: { structuredContent: { status: 'ok' } },
  },
  {
    tool: 'retrieval_patch_document_metadata',
    title: 'sends the metadata alone',
    arguments: { documentId, metadata: { year: 2027 } },
    request: {
      method: 'PATCH',
      url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/metadata',
      ...json,
      body: { metadata: { year: 2027 } },
    },
    reply: { status: 200, body: { metadata: { department: 'people', year: 2027 } } },
    result: { structuredContent: { metadata: { department: 'people', year: 2027 } } },
  },
  {
    tool: 'retrieval_get_document_content',
    title: 'sends range and partition as headers, download and media type in the query',
    arguments: {
      documentId,
      range: 'bytes=0-99',
      download: true,
      partition: 'acme-hr',
      mediaType: 'text/plain',
    },
    request: {
      method: 'GET',
      url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/content?download=true&media_type=text%2Fplain',
      headers: { authorization, range: 'bytes=0-99', partition: 'acme-hr' },
      absentHeaders: ['content-type'],
    },
    reply: {
      status: 206,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'content-range': 'bytes 0-16/4096' },
      body: 'Leave policy 2026',
    },
    result: { text: ['Leave policy 2026'] },
  },
  {
    tool: 'retrieval_get_document_content',
    title: 'passes a JSON answer through',
    arguments: { documentId },
    request: { method: 'GET', url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/content', ...bare },
    reply: { status: 200, body: { ...leavePolicy, content: 'Parents take up to 60 days.' } },
    result: { structuredContent: { ...leavePolicy, content: 'Parents take up to 60 days.' } },
  },
  {
    tool: 'retrieval_get_document_summary',
    title: 'sends the partition as a header',
    arguments: { documentId, partition: 'acme-hr' },
    request: { method: 'GET', url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/summary', ...scoped },
    reply: { status: 200, body: { document_id: documentId, summary: 'Who may take leave.' } },
    result: { structuredContent: { document_id: documentId, summary: 'Who may take leave.' } },
  },
  {
    tool: 'retrieval_get_document_summary',
    title: 'sends the id alone',
    arguments: { documentId },
    request: { method: 'GET', url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/summary', ...bare },
    reply: { status: 404, body: { detail: 'Summary not found' } },
    result: { isError: true, text: ['404', 'Summary not found'] },
  },
  {
    tool: 'retrieval_get_document_chunks',
    title: 'sends indexes, cursor and page size in the query and the partition as a header',
    arguments: { documentId, cursor: 'eyJpIjoxNH0', pageSize: 1, partition: 'acme-hr', startIndex: 0, endIndex: 15 },
    request: {
      method: 'GET',
      url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/chunks?cursor=eyJpIjoxNH0&page_size=1&start_index=0&end_index=15',
      ...scoped,
    },
    reply: {
      status: 200,
      body: {
        pagination: { next_cursor: 'eyJpIjoxNX0', total_count: 48 },
        chunks: [{ id: '5b0de2b4', index: 14, text: 'Up to 60 days.', metadata: { page_number: 6 }, links: {} }],
      },
    },
    result: {
      structuredContent: {
        pagination: { next_cursor: 'eyJpIjoxNX0', total_count: 48 },
        chunks: [{ id: '5b0de2b4', index: 14, text: 'Up to 60 days.', metadata: { page_number: 6 }, links: {} }],
        page: {
          nextArguments: {
            documentId,
            cursor: 'eyJpIjoxNX0',
            pageSize: 1,
            partition: 'acme-hr',
            startIndex: 0,
            endIndex: 15,
          },
        },
      },
    },
  },
  {
    tool: 'retrieval_get_document_chunks',
    title: 'sends the id alone',
    arguments: { documentId },
    request: { method: 'GET', url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11/chunks', ...bare },
    reply: { status: 200, body: { pagination: { next_cursor: null, total_count: 0 }, chunks: [] } },
    result: {
      structuredContent: {
        pagination: { next_cursor: null, total_count: 0 },
        chunks: [],
        page: { nextArguments: null },
      },
    },
  },
  {
    tool: 'retrieval_delete_document',
    title: 'sends async in the query and takes 202',
    arguments: { documentId, async: true, partition: 'acme-hr' },
    request: { method: 'DELETE', url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11?async=true', ...scoped },
    reply: { status: 202, body: { status: 'ok' } },
    result: { structuredContent: { status: 'ok' } },
  },
  {
    tool: 'retrieval_delete_document',
    title: 'sends the id alone',
    arguments: { documentId },
    request: { method: 'DELETE', url: '/documents/8e4c1f0a-6d3b-4c57-9a3e-2b1f7d905c11', ...bare },
    reply: { status: 200, body: { status: 'ok' } },
    result: { structuredContent: { status: 'ok' } },
  },
];

const partitions: readonly WireCase[] = [
  {
    tool: 'retrieval_list_partitions',
    title: 'sends cursor and page size in the query',
    arguments: { cursor: 'eyJuIjoiYSJ9', pageSize: 1 },
    request: { method: 'GET', url: '/partitions?cursor=eyJuIjoiYSJ9&page_size=1', ...bare },
    reply: {
      status: 200,
      body: { pagination: { next_cursor: 'eyJuIjoiYiJ9', total_count: 5 }, partitions: [partition] },
    },
    result: {
      structuredContent: {
        pagination: { next_cursor: 'eyJuIjoiYiJ9', total_count: 5 },
        partitions: [partition],
        page: { nextArguments: { cursor: 'eyJuIjoiYiJ9', pageSize: 1 } },
      },
    },
  },
  {
    tool: 'retrieval_list_partitions',
    title: 'sends nothing when nothing is given',
    arguments: {},
    request: { method: 'GET', url: '/partitions', ...bare },
    reply: { status: 200, body: { pagination: { next_cursor: null, total_count: 1 }, partitions: [partition] } },
    result: {
      structuredContent: {
        pagination: { next_cursor: null, total_count: 1 },
        partitions: [partition],
        page: { nextArguments: null },
      },
    },
  },
  {
    tool: 'retrieval_get_partition',
    title: 'puts the name in the path',
    arguments: { partitionId: 'acme-hr' },
    request: { method: 'GET', url: '/partitions/acme-hr', ...bare },
    reply: { status: 200, body: partitionDetail },
    result: { structuredContent: partitionDetail },
  },
  {
    tool: 'retrieval_get_partition',
    title: 'reports an unknown name',
    arguments: { partitionId: 'no_such-one2' },
    request: { method: 'GET', url: '/partitions/no_such-one2', ...bare },
    reply: { status: 404, body: { detail: 'Partition not found' } },
    result: { isError: true, text: ['404', 'Partition not found'] },
  },
  {
    tool: 'retrieval_create_partition',
    title: 'sends all twelve limits and context_aware in the body and takes 200',
    arguments: {
      name: 'acme-hr',
      description: 'People policies of Acme.',
      contextAware: true,
      metadataSchema: { type: 'object', properties: { department: { type: 'string' } } },
      mediaHostedLimitMax: 1,
      mediaHostedLimitMonthly: 2,
      pagesHostedLimitMax: 3,
      pagesHostedLimitMonthly: 4,
      mediaStreamedLimitMax: 5,
      mediaStreamedLimitMonthly: 6,
      audioProcessedLimitMax: 7,
      audioProcessedLimitMonthly: 8,
      pagesProcessedLimitMax: 9,
      pagesProcessedLimitMonthly: 10,
      videoProcessedLimitMax: 11,
      videoProcessedLimitMonthly: 12,
    },
    request: {
      method: 'POST',
      url: '/partitions',
      ...json,
      body: {
        name: 'acme-hr',
        description: 'People policies of Acme.',
        context_aware: true,
        metadata_schema: { type: 'object', properties: { department: { type: 'string' } } },
        media_hosted_limit_max: 1,
        media_hosted_limit_monthly: 2,
        pages_hosted_limit_max: 3,
        pages_hosted_limit_monthly: 4,
        media_streamed_limit_max: 5,
        media_streamed_limit_monthly: 6,
        audio_processed_limit_max: 7,
        audio_processed_limit_monthly: 8,
        pages_processed_limit_max: 9,
        pages_processed_limit_monthly: 10,
        video_processed_limit_max: 11,
        video_processed_limit_monthly: 12,
      },
    },
    reply: { status: 200, body: partition },
    result: { structuredContent: partition },
  },
  {
    tool: 'retrieval_create_partition',
    title: 'sends the name alone',
    arguments: { name: 'acme-hr' },
    request: { method: 'POST', url: '/partitions', ...json, body: { name: 'acme-hr' } },
    reply: { status: 200, body: partition },
    result: { structuredContent: partition },
  },
  {
    tool: 'retrieval_update_partition',
    title: 'sends every setting in the body',
    arguments: {
      partitionId: 'acme-hr',
      description: 'From 2024 on.',
      contextAware: false,
      metadataSchema: { type: 'object' },
    },
    request: {
      method: 'PATCH',
      url: '/partitions/acme-hr',
      ...json,
      body: { description: 'From 2024 on.', context_aware: false, metadata_schema: { type: 'object' } },
    },
    reply: { status: 200, body: partitionDetail },
    result: { structuredContent: partitionDetail },
  },
  {
    tool: 'retrieval_update_partition',
    title: 'sends null for what is to be cleared and leaves out what is not given',
    arguments: { partitionId: 'acme-hr', clear: ['description'] },
    request: { method: 'PATCH', url: '/partitions/acme-hr', ...json, body: { description: null } },
    reply: { status: 200, body: { ...partitionDetail, description: null } },
    result: { structuredContent: { ...partitionDetail, description: null } },
  },
  {
    tool: 'retrieval_update_partition',
    title: 'leaves out what is null',
    arguments: { partitionId: 'acme-hr', description: null, contextAware: true, metadataSchema: null, clear: null },
    request: { method: 'PATCH', url: '/partitions/acme-hr', ...json, body: { context_aware: true } },
    reply: { status: 200, body: partitionDetail },
    result: { structuredContent: partitionDetail },
  },
  {
    tool: 'retrieval_set_partition_limits',
    title: 'removes no limit for a null',
    arguments: { partitionId: 'acme-hr', pagesHostedLimitMax: null, pagesHostedLimitMonthly: 5000 },
    request: { method: 'PUT', url: '/partitions/acme-hr/limits', ...json, body: { pages_hosted_limit_monthly: 5000 } },
    reply: { status: 200, body: partitionDetail },
    result: { structuredContent: partitionDetail },
  },
  {
    tool: 'retrieval_set_partition_limits',
    title: 'sends all twelve limits, null where one is to be cleared',
    arguments: {
      partitionId: 'acme-hr',
      mediaHostedLimitMax: 1,
      pagesHostedLimitMax: 3,
      mediaStreamedLimitMax: 5,
      audioProcessedLimitMax: 7,
      pagesProcessedLimitMax: 9,
      videoProcessedLimitMax: 0,
      clear: [
        'mediaHostedLimitMonthly',
        'pagesHostedLimitMonthly',
        'mediaStreamedLimitMonthly',
        'audioProcessedLimitMonthly',
        'pagesProcessedLimitMonthly',
        'videoProcessedLimitMonthly',
      ],
    },
    request: {
      method: 'PUT',
      url: '/partitions/acme-hr/limits',
      ...json,
      body: {
        media_hosted_limit_max: 1,
        media_hosted_limit_monthly: null,
        pages_hosted_limit_max: 3,
        pages_hosted_limit_monthly: null,
        media_streamed_limit_max: 5,
        media_streamed_limit_monthly: null,
        audio_processed_limit_max: 7,
        audio_processed_limit_monthly: null,
        pages_processed_limit_max: 9,
        pages_processed_limit_monthly: null,
        video_processed_limit_max: 0,
        video_processed_limit_monthly: null,
      },
    },
    reply: { status: 200, body: partitionDetail },
    result: { structuredContent: partitionDetail },
  },
  {
    tool: 'retrieval_set_partition_limits',
    title: 'sends an empty body when no limit is given',
    arguments: { partitionId: 'acme-hr' },
    request: { method: 'PUT', url: '/partitions/acme-hr/limits', ...json, body: {} },
    reply: { status: 200, body: partitionDetail },
    result: { structuredContent: partitionDetail },
  },
  {
    tool: 'retrieval_delete_partition',
    title: 'sends asyncDeletion as async',
    arguments: { partitionId: 'acme-hr', asyncDeletion: true },
    request: { method: 'DELETE', url: '/partitions/acme-hr?async=true', ...bare },
    reply: { status: 202, body: { message: 'Partition deletion queued.' } },
    result: { structuredContent: { message: 'Partition deletion queued.' } },
  },
  {
    tool: 'retrieval_delete_partition',
    title: 'sends the name alone',
    arguments: { partitionId: 'acme-hr' },
    request: { method: 'DELETE', url: '/partitions/acme-hr', ...bare },
    reply: { status: 200, body: { message: 'Partition deleted.' } },
    result: { structuredContent: { message: 'Partition deleted.' } },
  },
  {
    tool: 'retrieval_delete_partition',
    title: 'reports a failure of the service',
    arguments: { partitionId: 'acme-hr', asyncDeletion: false },
    request: { method: 'DELETE', url: '/partitions/acme-hr?async=false', ...bare },
    reply: { status: 500, body: { detail: 'Internal server error' } },
    result: { isError: true, text: ['500', 'Internal server error'] },
  },
];

const connection = {
  id: '3f6b2c84-1d7e-4f0b-9c55-8e21a4d7b906',
  created_at: '2026-02-11T14:20:00.000000Z',
  updated_at: '2026-03-10T06:00:12.000000Z',
  metadata: { owner: 'people-team' },
  type: 'google_drive',
  name: 'People team drive',
  source: ['Policies', { folder: 'Contracts' }],
  enabled: false,
  disabled_by_system: true,
  disabled_by_system_reason: 'authentication_failed',
  last_synced_at: null,
  syncing: null,
  partition: 'acme-hr',
  page_limit: null,
};

const connections: readonly WireCase[] = [
  {
    tool: 'retrieval_list_connection_source_types',
    title: 'takes no arguments',
    arguments: {},
    request: { method: 'GET', url: '/connections/source-type', ...bare },
    reply: {
      status: 200,
      body: {
        connectors: [
          {
            source_type: 'google_drive',
            display_name: 'Google Drive',
            icon_url: 'https://www.example.com/google-drive.svg',
            docs_url: 'https://docs.ragie.ai/docs/google-drive',
          },
        ],
      },
    },
    result: {
      structuredContent: {
        connectors: [
          {
            source_type: 'google_drive',
            display_name: 'Google Drive',
            icon_url: 'https://www.example.com/google-drive.svg',
            docs_url: 'https://docs.ragie.ai/docs/google-drive',
          },
        ],
      },
    },
  },
  {
    tool: 'retrieval_list_connections',
    title: 'sends cursor, filter text and page size in the query and the partition as a header',
    arguments: { cursor: 'eyJpZCI6MX0', filter: '{"owner":"people+team"}', pageSize: 100, partition: 'acme-hr' },
    request: {
      method: 'GET',
      url: '/connections?cursor=eyJpZCI6MX0&filter=%7B%22owner%22%3A%22people%2Bteam%22%7D&page_size=100',
      ...scoped,
    },
    reply: {
      status: 200,
      body: { pagination: { next_cursor: 'eyJpZCI6Mn0', total_count: 140 }, connections: [connection] },
    },
    result: {
      structuredContent: {
        pagination: { next_cursor: 'eyJpZCI6Mn0', total_count: 140 },
        connections: [connection],
        page: {
          nextArguments: {
            cursor: 'eyJpZCI6Mn0',
            filter: '{"owner":"people+team"}',
            pageSize: 100,
            partition: 'acme-hr',
          },
        },
      },
    },
  },
  {
    tool: 'retrieval_list_connections',
    title: 'sends nothing when nothing is given',
    arguments: {},
    request: { method: 'GET', url: '/connections', ...bare },
    reply: { status: 200, body: { pagination: { next_cursor: null, total_count: 0 }, connections: [] } },
    result: {
      structuredContent: {
        pagination: { next_cursor: null, total_count: 0 },
        connections: [],
        page: { nextArguments: null },
      },
    },
  },
  {
    tool: 'retrieval_create_oauth_redirect_url',
    title: 'sends every argument in the body, the partition included',
    arguments: {
      redirectUri: 'https://app.example.com/connected?user=7',
      sourceType: 'google_drive',
      theme: 'dark',
      config: { shared_drives: true },
      metadata: { owner: 'people-team' },
      partition: 'acme-hr',
      pageLimit: 2000,
      mode: { static: 'fast' },
      authenticatorId: 'b5e77fb7-026c-408f-837a-2bf3b4ba0c6b',
    },
    request: {
      method: 'POST',
      url: '/connections/oauth',
      ...json,
      body: {
        redirect_uri: 'https://app.example.com/connected?user=7',
        source_type: 'google_drive',
        theme: 'dark',
        config: { shared_drives: true },
        metadata: { owner: 'people-team' },
        partition: 'acme-hr',
        page_limit: 2000,
        mode: { static: 'fast' },
        authenticator_id: 'b5e77fb7-026c-408f-837a-2bf3b4ba0c6b',
      },
    },
    reply: { status: 200, body: { url: 'https://api.ragie.ai/embed/connect?auth=eyJ' } },
    result: { structuredContent: { url: 'https://api.ragie.ai/embed/connect?auth=eyJ' } },
  },
  {
    tool: 'retrieval_create_oauth_redirect_url',
    title: 'sends the return address alone',
    arguments: { redirectUri: 'https://app.example.com/connected' },
    request: {
      method: 'POST',
      url: '/connections/oauth',
      ...json,
      body: { redirect_uri: 'https://app.example.com/connected' },
    },
    reply: { status: 200, body: { url: 'https://api.ragie.ai/embed/connect?auth=eyJ' } },
    result: { structuredContent: { url: 'https://api.ragie.ai/embed/connect?auth=eyJ' } },
  },
];

/** Every retrieval tool with all of its arguments and with the fewest, and the errors that the service answers with. */
export const retrievalCases: readonly WireCase[] = [...retrievals, ...documents, ...partitions, ...connections];
