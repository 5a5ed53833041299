"""All database writes that users cause; background work is enqueued when the transaction commits."""
