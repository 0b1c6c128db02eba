import { redirect } from "next/navigation";

/** A new chat has a name of its own. */
export default async function Page() {
  redirect(`/${crypto.randomUUID()}`);
}

export const dynamic = "force-dynamic";
