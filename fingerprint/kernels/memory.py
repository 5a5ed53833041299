"""The functions by which compiled kernels allocate memory, in LLVM's language: numba's own are part of numba.

A block of memory begins with its description: how many use it, the function that ends it with an argument for
that, where the data are, and how many bytes (`MemInfo` in numba's nrt.cpp).
"""

FUNCTIONS = """
%MemInfo = type { i64, ptr, ptr, ptr, i64, ptr }

declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)

define ptr @NRT_Allocate(i64 %size) {
  %block = call ptr @malloc(i64 %size)
  ret ptr %block
}

define void @NRT_Free(ptr %block) {
  call void @free(ptr %block)
  ret void
}

define internal void @describe(ptr %info, ptr %end, ptr %argument, ptr %data, i64 %size) {
  %end.at = getelementptr %MemInfo, ptr %info, i32 0, i32 1
  %argument.at = getelementptr %MemInfo, ptr %info, i32 0, i32 2
  %data.at = getelementptr %MemInfo, ptr %info, i32 0, i32 3
  %size.at = getelementptr %MemInfo, ptr %info, i32 0, i32 4
  %allocator.at = getelementptr %MemInfo, ptr %info, i32 0, i32 5
  store i64 1, ptr %info
  store ptr %end, ptr %end.at
  store ptr %argument, ptr %argument.at
  store ptr %data, ptr %data.at
  store i64 %size, ptr %size.at
  store ptr null, ptr %allocator.at
  ret void
}

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %align.64 = zext i32 %align to i64
  %before = add i64 %align.64, 48
  %all = add i64 %before, %size
  %block = call ptr @malloc(i64 %all)
  %none = icmp eq ptr %block, null
  br i1 %none, label %failed, label %allocated
failed:
  ret ptr null
allocated:
  %address = ptrtoint ptr %block to i64
  %highest = add i64 %address, %before
  %mask = sub i64 0, %align.64
  %aligned = and i64 %highest, %mask
  %data = inttoptr i64 %aligned to ptr
  call void @describe(ptr %block, ptr null, ptr null, ptr %data, i64 %size)
  ret ptr %block
}

define void @NRT_MemInfo_call_dtor(ptr %info) {
  %end.at = getelementptr %MemInfo, ptr %info, i32 0, i32 1
  %end = load ptr, ptr %end.at
  %none = icmp eq ptr %end, null
  br i1 %none, label %last, label %first
first:
  %argument.at = getelementptr %MemInfo, ptr %info, i32 0, i32 2
  %data.at = getelementptr %MemInfo, ptr %info, i32 0, i32 3
  %size.at = getelementptr %MemInfo, ptr %info, i32 0, i32 4
  %argument = load ptr, ptr %argument.at
  %data = load ptr, ptr %data.at
  %size = load i64, ptr %size.at
  call void %end(ptr %data, i64 %size, ptr %argument)
  br label %last
last:
  call void @free(ptr %info)
  ret void
}

define internal void @end_resizable(ptr %data, i64 %size, ptr %end.items) {
  %none = icmp eq ptr %end.items, null
  br i1 %none, label %last, label %first
first:
  call void %end.items(ptr %data)
  br label %last
last:
  call void @free(ptr %data)
  ret void
}

define ptr @NRT_MemInfo_new_varsize_dtor(i64 %size, ptr %end.items) {
  %data = call ptr @malloc(i64 %size)
  %none = icmp eq ptr %data, null
  br i1 %none, label %failed, label %allocated
failed:
  ret ptr null
allocated:
  %info = call ptr @malloc(i64 48)
  %no.info = icmp eq ptr %info, null
  br i1 %no.info, label %failed.again, label %complete
failed.again:
  call void @free(ptr %data)
  ret ptr null
complete:
  call void @describe(ptr %info, ptr @end_resizable, ptr %end.items, ptr %data, i64 %size)
  ret ptr %info
}

define ptr @NRT_MemInfo_varsize_realloc(ptr %info, i64 %size) {
  %data.at = getelementptr %MemInfo, ptr %info, i32 0, i32 3
  %size.at = getelementptr %MemInfo, ptr %info, i32 0, i32 4
  %data = load ptr, ptr %data.at
  %moved = call ptr @realloc(ptr %data, i64 %size)
  store ptr %moved, ptr %data.at
  store i64 %size, ptr %size.at
  ret ptr %moved
}
"""
