const first = ['Write a test'];

export const dynamic = 'force-dynamic';

export function GET() {
  return Response.json(first);
}

// Nothing is kept, so that every visit finds the same notes.
export async function POST(request) {
  const { text } = await request.json();
  return Response.json([...first, text]);
}
