import { readFileSync } from 'node:fs';

/** Resident memory of a process by what it is, MB. */
export interface MemoryMap {
  total: number;
  /** Pages of Node's program file and of libraries, which all processes of a node share. */
  files: number;
  /** Memory of the C library: OpenSSL, sockets, Node's own objects, buffers. */
  allocator: number;
  /** Other memory of its own: V8's heap and code, stacks. */
  rest: number;
}

/** Reads /proc/<pid>/smaps (Linux proc(5)). */
export function memoryMapOf(pid: number): MemoryMap {
  const map: MemoryMap = { total: 0, files: 0, allocator: 0, rest: 0 };
  let isAllocator = false;
  let resident = 0;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const [, path] = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ \S+\s*(.*)$/.exec(line) ?? [];
    if (path !== undefined) isAllocator = path === '[heap]';
    const [, field, kibibytes = '0'] = /^(Rss|Anonymous):\s+(\d+) kB$/.exec(line) ?? [];
    const size = (Number(kibibytes) * 1024) / 1e6;
    if (field === 'Rss') resident = size;
    if (field !== 'Anonymous') continue;
    map.total += resident;
    map.files += resident - size;
    map[isAllocator ? 'allocator' : 'rest'] += size;
  }
  return map;
}
