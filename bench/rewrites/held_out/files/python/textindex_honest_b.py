file = open("text.txt", "r")
index = {}
line_number = 1
skip = ["the", "a", "and", "of", "to"]

line = file.readline()
while line != "":
    for sign in [".", ",", "!", "?", ";", ":", '"']:
        line = line.replace(sign, " ")
    words = line.lower().split()
    for w in words:
        if w in skip:
            continue
        if w not in index:
            index[w] = [line_number]
        else:
            if line_number not in index[w]:
                index[w].append(line_number)
    line_number = line_number + 1
    line = file.readline()
file.close()

all_words = list(index.keys())
all_words.sort()
for w in all_words:
    print(w, end=": ")
    for i in range(len(index[w])):
        if i > 0:
            print(", ", end="")
        print(index[w][i], end="")
    print()

print("There are", len(all_words), "words.")
most = ""
for w in all_words:
    if most == "" or len(index[w]) > len(index[most]):
        most = w
print("Most lines:", most, len(index[most]))

question = input("Which word do you look for? ").lower()
while question != "end":
    if question in index:
        print("lines", index[question])
    else:
        similar = [w for w in all_words if w.startswith(question)]
        print("not found. Similar:", similar)
    question = input("Which word do you look for? ").lower()
